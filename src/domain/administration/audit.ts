import type { AuditQuery, ListedEntry, PetOfEntry } from '../audit.ts'
import { invalid } from '../errors.ts'
import { parseInt64 } from '../int64.ts'
import type { AnimalStore } from '../store/animals.ts'
import type { OperatorStore } from '../store/operators.ts'
import type { Page } from '../store/page.ts'
import { DAY_MS } from '../time.ts'
import { findById } from './context.ts'

interface Typed {
  /** The id or the name of a token, or a user of the command line. */
  operator?: string | undefined
  /** UTC days, both included, or times. */
  from?: string | undefined
  to?: string | undefined
}

/** How a message names a parameter, such as `--from`. */
type NameOf = (parameter: string) => string

/** @throws UserError */
export function parseAuditFilter(
  { operator, from, to }: Typed,
  nameOf: NameOf = parameter => parameter,
): Pick<AuditQuery, 'tokenId' | 'operatorName' | 'fromTime' | 'beforeTime'> {
  const fromTime = from === undefined ? undefined : parseSpan(from, 'from', nameOf).start
  const beforeTime = to === undefined ? undefined : parseSpan(to, 'to', nameOf).end
  if (fromTime !== undefined && beforeTime !== undefined && fromTime > beforeTime) {
    throw invalid(`${nameOf('from')} must not be later than ${nameOf('to')}.`, 'from')
  }
  const tokenId = operator === undefined ? undefined : parseInt64(operator)
  return { tokenId, operatorName: tokenId === undefined ? operator : undefined, fromTime, beforeTime }
}

/** Parses `2030-12-31`, which is a whole UTC day, or a time such as `2030-12-31T18:00:00Z`. `end` is the first millisecond after it. */
function parseSpan(text: string, parameter: string, nameOf: NameOf): { start: number; end: number } {
  try {
    const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text)
    const start = Temporal.Instant.from(isDay ? `${text}T00:00Z` : text).epochMilliseconds
    return { start, end: isDay ? start + DAY_MS : start }
  } catch {
    const rule = 'a UTC day such as 2030-12-31, or a date and time with a time zone such as 2030-12-31T18:00:00Z'
    throw invalid(`${nameOf(parameter)} must be ${rule}.`, parameter)
  }
}

/** @throws UserError if there is no such entry */
export function petsOfEntry(
  store: AnimalStore,
  entryId: string,
  page: Page,
  signal?: AbortSignal,
): Promise<PetOfEntry[]> {
  return findById('entry', entryId, id => store.listPetsOfEntry({ entryId: id, ...page }, signal))
}

const BATCH_SIZE = 1_000

/** All matching entries, newest first, in batches. Reads the first batch immediately, so that a failing store is noticed early. */
export async function readAudit(
  store: OperatorStore,
  filter: Omit<AuditQuery, 'limit'>,
): Promise<AsyncIterable<readonly ListedEntry[]>> {
  const readBefore = (beforeId: bigint | undefined) => store.listAudit({ ...filter, beforeId, limit: BATCH_SIZE })
  const first = await readBefore(filter.beforeId)
  async function* batches() {
    for (let entries = first; entries.length > 0; entries = await readBefore(entries.at(-1)?.id)) yield entries
  }
  return batches()
}
