import { setImmediate as nextTurn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Revision, Revisions } from '../domain/store/revision.ts'
import type { Answer } from '../http/answer.ts'
import { unlessNoneMatch } from '../http/conditional.ts'
import type { Coding } from '../http/content-coding.ts'
import type { Operation } from '../http/routes.ts'
import type { PublicCall } from './call.ts'
import { codingFor, compressAnswer, type EncodedAnswer, plainAnswer } from './encoded-answer.ts'

/** The content of a response to a read, before it becomes an answer. */
export interface Representation {
  json: string
  /** The value of `Link`. */
  link?: string
  /**
   * Animals with ids up to this one belong to it, also those that become visible later: the last id of a page that has a next one, `INT64_MAX` for
   * the last page, 0 for a single animal.
   */
  openTo: bigint
}

interface CachedAnswer {
  plain: EncodedAnswer
  /** The same answer in each coding that a client has accepted. */
  coded: Readonly<Partial<Record<Coding, EncodedAnswer>>>
  /** Whether new animals may belong to it. Corrections of animals can change it in any case. */
  isOpen: boolean
  revision: Revision
}

/** For each operation, in characters of up to two bytes: about 32 MB. */
const MAX_CACHED_CHARACTERS = 16_777_216

/** About 10,000 page addresses. */
const MAX_SEEN_CHARACTERS = 1_048_576

/**
 * Caches the answers of a read as they are sent, from the second request for the same one. An answer stays in the cache until the store changes
 * in a way that could change it (decision 0018).
 */
export function cacheAnswers(
  store: Pick<Revisions, 'revision' | 'settledPetId'>,
  read: (call: PublicCall, parameter: string) => Promise<Representation>,
  keyOf: (call: PublicCall) => string,
): Operation<PublicCall>['handle'] {
  const answers = new LRUCache<string, CachedAnswer>({ maxSize: MAX_CACHED_CHARACTERS, sizeCalculation: sizeOf })
  /** The keys of answers that were recently requested for the first time. */
  const seenOnce = new LRUCache<string, true>({
    maxSize: MAX_SEEN_CHARACTERS,
    sizeCalculation: (_, { length }) => length + 1,
  })
  /** Reads that start at the end of this turn of the event loop, by key. */
  const nextReads = new Map<string, Promise<CachedAnswer>>()

  async function renew(call: PublicCall, parameter: string, key: string): Promise<CachedAnswer> {
    // Before the read: an animal may appear between the two.
    const [revision, settledPetId] = [store.revision(), store.settledPetId()]
    const { json, link, openTo } = await read(call, parameter)
    const cached = { plain: plainAnswer(json, link), coded: {}, isOpen: openTo > settledPetId, revision }
    cache(key, cached)
    return cached
  }

  /** Only from the second request on: answers that a crawler requests once would evict the others (decision 0018). */
  function cache(key: string, cached: CachedAnswer): void {
    if (answers.has(key) || seenOnce.delete(key)) answers.set(key, cached)
    else seenOnce.set(key, true)
  }

  /**
   * One read serves all calls for the same page in one turn of the event loop. If other processes write to the store, open pages are read for
   * every call (decision 0018). A read that has started is not shared with later calls: it may miss what was stored before them.
   */
  function renewTogether(call: PublicCall, parameter: string, key: string): Promise<CachedAnswer> {
    return nextReads.getOrInsertComputed(key, async () => {
      await nextTurn()
      nextReads.delete(key)
      return renew(call, parameter, key)
    })
  }

  function choose(call: PublicCall, key: string, cached: CachedAnswer): Answer {
    const coding = codingFor(call.request, cached.plain)
    const chosen = coding === 'identity' ? cached.plain : (cached.coded[coding] ?? addCoding(key, cached, coding))
    return unlessNoneMatch(call, chosen.etag, chosen)
  }

  /** Compresses an answer once for all clients, until it changes. */
  function addCoding(key: string, { plain }: CachedAnswer, coding: Coding): EncodedAnswer {
    const encoded = compressAnswer(plain, coding)
    const cached = answers.peek(key)
    // A newer read may have replaced it. Setting it again updates its size.
    if (cached?.plain === plain) answers.set(key, { ...cached, coded: { ...cached.coded, [coding]: encoded } })
    return encoded
  }

  return (call, parameter = '') => {
    const key = keyOf(call)
    const cached = answers.get(key)
    const revision = store.revision()
    if (cached && !isStale(cached, revision)) return choose(call, key, cached)
    const renewed = revision.newestPetId === undefined ? renewTogether : renew
    return renewed(call, parameter, key).then(current => choose(call, key, current))
  }
}

function isStale({ revision, isOpen }: CachedAnswer, now: Revision): boolean {
  if (isOpen && (now.newestPetId === undefined || revision.newestPetId !== now.newestPetId)) return true
  return revision.corrections !== now.corrections
}

/** Includes the key, because clients choose the length of the query. */
function sizeOf({ plain, coded }: CachedAnswer, key: string): number {
  const answers = [plain, ...Object.values(coded)]
  return answers.reduce((sum, { body }) => sum + body.length + 1_000, key.length)
}
