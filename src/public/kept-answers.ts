import { LRUCache } from 'lru-cache'
import type { Revision, Revisions } from '../domain/store/revision.ts'
import { type Answer, jsonAnswer, type WholeAnswer } from '../http/answer.ts'
import { hasMatch, notModified } from '../http/conditional.ts'
import { prepareHeaders } from '../http/prepared-head.ts'
import type { Operation } from '../http/routes.ts'
import { etagOf } from '../schema/etag.ts'
import type { PublicCall } from './call.ts'

/** The response of a read, before it is made an answer. */
export interface Representation {
  json: string
  /** The value of `Link`. */
  link?: string
  /** Whether a new animal could change it. */
  isOpen?: boolean
}

interface Kept {
  answer: WholeAnswer
  notModified: WholeAnswer
  etag: string
  isOpen: boolean
  revision: Revision
}

/** Of each operation, in characters of up to two bytes: about 32 MB. */
const MAX_KEPT_CHARACTERS = 16_777_216

/** Keeps the answers of a read as they are sent, each until the store changes in a way that could change it (decision 0006). */
export function keepAnswers(
  store: Revisions,
  read: (call: PublicCall, parameter: string) => Promise<Representation>,
  keyOf: (call: PublicCall, parameter: string) => string,
): Operation<PublicCall>['handle'] {
  const answers = new LRUCache<string, Kept>({ maxSize: MAX_KEPT_CHARACTERS, sizeCalculation: sizeOf })

  async function renew(call: PublicCall, parameter: string, key: string): Promise<Answer> {
    const revision = store.revision()
    const { json, link, isOpen = false } = await read(call, parameter)
    const etag = etagOf((link ?? '') + json)
    const links = link === undefined ? [] : ['Link', link]
    const answer = jsonAnswer(200, json, ['ETag', etag, 'Cache-Control', 'private, no-cache', ...links])
    const kept = { answer: prepared(answer), notModified: prepared(notModified(answer)), etag, isOpen, revision }
    answers.set(key, kept)
    return choose(call, kept)
  }

  return (call, parameter = '') => {
    const key = keyOf(call, parameter)
    const kept = answers.get(key)
    if (!kept || isStale(kept, store.revision())) return renew(call, parameter, key)
    return choose(call, kept)
  }
}

function choose(call: PublicCall, kept: Kept): WholeAnswer {
  return hasMatch(call, kept.etag) ? kept.notModified : kept.answer
}

function prepared(answer: WholeAnswer): WholeAnswer {
  return { ...answer, prepared: prepareHeaders(answer.headers) }
}

function isStale({ revision, isOpen }: Kept, now: Revision): boolean {
  if (isOpen && (now.newestPetId === undefined || revision.newestPetId !== now.newestPetId)) return true
  return revision.corrections !== now.corrections
}

/** The key counts as well: a client chooses how long its query is. */
function sizeOf({ answer }: Kept, key: string): number {
  return answer.body.length + key.length + 1_000
}
