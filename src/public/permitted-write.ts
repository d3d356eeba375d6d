import type { Caller, WriteTerms } from '../domain/account.ts'
import type { Creation } from '../domain/store/animals.ts'
import { Refusal } from '../http/refusal.ts'
import type { Authentication } from './authenticate.ts'
import type { PublicCall } from './call.ts'

/**
 * Carries out a write of a caller that may write at this moment, not only when its headers arrived: its body may have taken long.
 * An invalid body was refused before this, with its own error.
 * @param write checks the terms in its transaction
 * @throws Refusal invalid_api_key, insufficient_scope
 */
export type PermittedWrite = (
  call: PublicCall,
  write: (terms: WriteTerms) => Promise<Creation>,
) => Promise<Exclude<Creation, { outcome: 'not_permitted' }>>

/** @param now the current time: unlike `call.now`, it moves on while the body arrives */
export function buildPermittedWrite(authentication: Authentication, now: () => number): PermittedWrite {
  return async ({ request }, write) => {
    let caller = writerOf(await authentication.reauthenticate(request, now()))
    for (;;) {
      const creation = await write(caller)
      if (creation.outcome !== 'not_permitted') return creation
      // An operator has just changed the key or its account. If it may still write, it does so on its new terms.
      caller = writerOf(await authentication.reauthenticate(request, now(), 'fresh'))
    }
  }
}

function writerOf(caller: Caller | Refusal): Caller {
  if (caller instanceof Refusal) throw caller
  if (caller.scope === 'read') throw new Refusal('insufficient_scope')
  return caller
}
