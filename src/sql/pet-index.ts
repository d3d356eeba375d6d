import { fold } from '../domain/fold.ts'
import type { PetFilter } from '../domain/pet-selection.ts'
import type { PetSearch } from '../domain/store/animals.ts'
import type { Dialect } from './dialect.ts'
import { whereSelected } from './pet-filter.ts'
import { ID, INTEGER, rowReader } from './row-reader.ts'
import { type Condition, first, type Query } from './statement.ts'
import { type Read, read } from './write.ts'

/** If at least one in this many animals matches a name, scanning the animals is faster than collecting all matches from the index. */
const ANIMALS_PER_FREQUENT_NAME = 200
/** The maximum number of animals read to determine whether a name is frequent. Takes about 10 ms. */
const MAX_WALKED = 20_000

/** Reads the animals of part of a search that also match these conditions; returns their number. */
type ReadPart<Search> = (part: Search, conditions: readonly Condition[]) => Read<number>

/** Reads the animals of a search in order, in as few parts as the index of names allows. */
export function* readInParts<Search extends PetSearch>(
  search: Search,
  dialect: Dialect,
  readPart: ReadPart<Search>,
): Read<void> {
  const index = yield* indexFor(search, dialect)
  const walked = Math.min(search.limit * ANIMALS_PER_FREQUENT_NAME, MAX_WALKED)
  const nextId = index && (yield* read(idBehind(search, walked)))
  if (!index || nextId === undefined) {
    yield* readPart(search, [])
    return
  }
  const isDescending = search.order === 'newest'
  const [near, far] = isDescending
    ? [after(search, nextId), upTo(search, nextId)]
    : [upTo(search, nextId - 1n), after(search, nextId - 1n)]
  const found = yield* readPart(near, [])
  if (found * ANIMALS_PER_FREQUENT_NAME >= walked) {
    yield* readPart(far, [])
    return
  }
  const readIndexed = () => readPart(upTo(far, index.lastId), [index.condition])
  const readOthers = () => readPart(after(far, index.lastId), [])
  for (const readNext of isDescending ? [readOthers, readIndexed] : [readIndexed, readOthers]) yield* readNext()
}

interface NameIndex {
  /** The index includes the animals up to this id. */
  lastId: bigint
  /** Matches all indexed animals whose names contain the part, and some others. */
  condition: Condition
}

/** Undefined if the index does not help to find these animals. */
function* indexFor({ name, ids }: PetFilter, { searchId, hasTrigrams }: Dialect): Read<NameIndex | undefined> {
  if (name === undefined || ids || !hasThreeCharacters(fold(name))) return undefined
  const found = `SELECT ${searchId} FROM pet_search WHERE ${hasTrigrams} UNION ALL SELECT id FROM pet_renamed`
  return { lastId: yield* read(INDEXED_TO), condition: [`id IN (${found})`, name] }
}

/** Names contain no control characters. */
function hasThreeCharacters(part: string): boolean {
  return /^\P{Cc}{3,}$/u.test(part)
}

const INDEXED_TO: Query<bigint> = {
  sql: 'SELECT indexed_to FROM pet_progress',
  values: [],
  resultOf: ([row]) => (row ? readProgress(row).indexedTo : 0n),
}

const readProgress = rowReader('the progress of the index', { indexedTo: INTEGER })

/** The id after this many animals in the order of a search, with any name; undefined if there are fewer. */
function idBehind({ afterId, beforeId, order }: PetSearch, animals: number): Query<bigint | undefined> {
  const { sql, values } = whereSelected({ afterId, beforeId }, { idsIn: '' })
  const select = `SELECT id FROM pet ${sql} ORDER BY id ${directionOf(order)} LIMIT 1 OFFSET ?`
  return first(select, [...values, animals], row => readId(row).id)
}

const readId = rowReader('an animal', { id: ID })

export function directionOf(order: PetSearch['order']): 'ASC' | 'DESC' {
  return order === 'newest' ? 'DESC' : 'ASC'
}

function after<Filter extends PetFilter>(filter: Filter, id: bigint): Filter {
  const { afterId } = filter
  return { ...filter, afterId: afterId !== undefined && afterId > id ? afterId : id }
}

function upTo<Filter extends PetFilter>(filter: Filter, id: bigint): Filter {
  const { beforeId } = filter
  return { ...filter, beforeId: beforeId !== undefined && beforeId <= id ? beforeId : id + 1n }
}
