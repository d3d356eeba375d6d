import { COMMAND_LINE } from '../domain/audit.ts'

/**
 * The actor of what the demo does. It creates its account first, so that the audit log of its store begins with this actor: that marks the store,
 * whatever was added since. No user of an operating system has a name with spaces.
 */
export const DEMO_ACTOR = { name: 'petstore serve --demo', origin: COMMAND_LINE } as const
export const DEMO_ACCOUNT = 'demo'
