import { Option } from 'commander'
import { KEY_SCOPES, type KeyScope, type KeyTerms } from '../domain/api-key.ts'
import type { Command } from './command.ts'

export interface AccessOptions {
  scope?: KeyScope
  networks?: typeof ANYWHERE | readonly string[]
}

/** @param defaults shown in the help */
export function addAccessOptions(command: Command, defaults?: { scope: KeyScope; networks: string }): Command {
  const about = (value: string | undefined) => (value === undefined ? '' : ` (default: ${value})`)
  return command
    .addOption(new Option('--scope <scope>', `what the key may do${about(defaults?.scope)}`).choices(KEY_SCOPES))
    .option('--networks <list>', `where it may call from; see below${about(defaults?.networks)}`, parseNetworkList)
}

export const ACCESS_HELP = `A read key cannot add animals. --networks takes IP addresses and CIDR ranges,
separated by commas, or "any". Calls from other addresses are refused.`

/** Such as "It can only read, and works only from 192.0.2.0/24."; nothing for a key that may do everything from anywhere. */
export function describeAccess(subject: string, { scope, networks }: Pick<KeyTerms, 'scope' | 'networks'>): string[] {
  const limits = [
    ...(scope === 'read' ? ['can only read'] : []),
    ...(networks ? [`works only from ${networks.join(', ')}`] : []),
  ]
  return limits.length === 0 ? [] : [`${subject} ${limits.join(', and ')}.`]
}

/** Commander does not allow null as the value of an option. */
export const ANYWHERE = 'any'

function parseNetworkList(text: string): typeof ANYWHERE | string[] {
  return text === ANYWHERE ? ANYWHERE : text.split(',').map(part => part.trim())
}
