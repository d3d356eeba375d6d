import { setImmediate as nextTurn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Revision, Revisions } from '../domain/store/revision.ts'
import type { Answer } from '../http/answer.ts'
import { type Awaitable, whenReady } from '../http/awaitable.ts'
import { unlessNoneMatch } from '../http/conditional.ts'
import type { Coding } from '../http/content-coding.ts'
import type { Operation } from '../http/routes.ts'
import { codingFor, compressForm, type Form, plainForm } from './answer-form.ts'
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
  /** The answer without a coding. */
  plain: Form
  /** The same in the codings that clients have asked for. */
  coded: Readonly<Partial<Record<Coding, Form>>>
  isOpen: boolean
  revision: Revision
}

/** Of each operation, in characters of up to two bytes: about 32 MB. */
const MAX_KEPT_CHARACTERS = 16_777_216

/** Some 10,000 addresses of pages. */
const MAX_ASKED_CHARACTERS = 1_048_576

/**
 * Keeps the answers of a read that are asked for again, as they are sent, each until the store changes in a way that could change it (decisions
 * 0006, 0060 and 0069).
 */
export function keepAnswers(
  store: Revisions,
  read: (call: PublicCall, parameter: string) => Promise<Representation>,
  keyOf: (call: PublicCall) => string,
): Operation<PublicCall>['handle'] {
  const answers = new LRUCache<string, Kept>({ maxSize: MAX_KEPT_CHARACTERS, sizeCalculation: sizeOf })
  /** The keys of answers that were asked for once, lately. */
  const askedOnce = new LRUCache<string, true>({
    maxSize: MAX_ASKED_CHARACTERS,
    sizeCalculation: (_, { length }) => length + 1,
  })
  /** Reads that begin at the end of this turn of the event loop, by key. */
  const nextReads = new Map<string, Promise<Kept>>()

  async function renew(call: PublicCall, parameter: string, key: string): Promise<Kept> {
    const revision = store.revision()
    const { json, link, isOpen = false } = await read(call, parameter)
    const kept = { plain: plainForm(json, link), coded: {}, isOpen, revision }
    keep(key, kept)
    return kept
  }

  /** From the second time on that an answer is asked for: what a crawler asks for once would only push out the others (decision 0069). */
  function keep(key: string, kept: Kept): void {
    if (answers.has(key) || askedOnce.delete(key)) answers.set(key, kept)
    else askedOnce.set(key, true)
  }

  /**
   * Reads once for all calls of one turn of the event loop that ask for the same: open pages of a store that others write to are read for
   * every call (decision 0018). A read that has begun is not shared, because it may not see what was stored before a later call.
   */
  function renewTogether(call: PublicCall, parameter: string, key: string): Promise<Kept> {
    return nextReads.getOrInsertComputed(key, async () => {
      await nextTurn()
      nextReads.delete(key)
      return renew(call, parameter, key)
    })
  }

  function choose(call: PublicCall, key: string, kept: Kept): Awaitable<Answer> {
    const coding = codingFor(call.request, kept.plain)
    const form = coding === 'identity' ? kept.plain : (kept.coded[coding] ?? addForm(key, kept, coding))
    return whenReady(form, chosen => unlessNoneMatch(call, chosen.etag, chosen))
  }

  /** Compresses an answer, once for all clients that ask for it until it changes. */
  function addForm(key: string, { plain }: Kept, coding: Coding): Awaitable<Form> {
    return whenReady(compressForm(plain, coding), form => {
      const kept = answers.peek(key)
      // The answer may have changed in the meantime. Setting it counts its size again.
      if (form && kept?.plain === plain) answers.set(key, { ...kept, coded: { ...kept.coded, [coding]: form } })
      return form ?? plain
    })
  }

  return (call, parameter = '') => {
    const key = keyOf(call)
    const kept = answers.get(key)
    const revision = store.revision()
    if (kept && !isStale(kept, revision)) return choose(call, key, kept)
    const renewed = revision.newestPetId === undefined ? renewTogether : renew
    return renewed(call, parameter, key).then(current => choose(call, key, current))
  }
}

function isStale({ revision, isOpen }: Kept, now: Revision): boolean {
  if (isOpen && (now.newestPetId === undefined || revision.newestPetId !== now.newestPetId)) return true
  return revision.corrections !== now.corrections
}

/** The key counts as well: a client chooses how long its query is. */
function sizeOf({ plain, coded }: Kept, key: string): number {
  const forms = [plain, ...Object.values(coded)]
  return forms.reduce((sum, { body }) => sum + body.length + 1_000, key.length)
}
