import { conflict } from '../domain/errors.ts'
import { MISSING_RULES, RUNS_LEARNED_FROM, type Source, type SourceChange, type SourceRun } from '../domain/source.ts'
import type { NewSource, PetOrigin, SourceQuery, SourceRunQuery } from '../domain/store/sources.ts'
import type { Store } from '../domain/store.ts'
import { change, record } from './audit.ts'
import type { Dialect } from './dialect.ts'
import { longReadInSteps, plainWrite, shortRead, writeOf } from './operation.ts'
import { remember } from './operator-creations.ts'
import { formatIds } from './pet-filter.ts'
import { COUNT, FLAG, ID, INTEGER, oneOf, optional, POSITIVE, rowReader, TEXT, TIME } from './row-reader.ts'
import { all, type Query, type Row, where } from './statement.ts'
import { insert, type Read, read, run, update, type Write } from './write.ts'

const sourceOf = rowReader('a source', {
  id: ID,
  name: TEXT,
  keyColumn: optional(TEXT),
  missing: oneOf(MISSING_RULES),
  maxRemovals: optional(TEXT),
  pauseSeconds: optional(POSITIVE),
  meanings: optional(TEXT),
  newCategories: FLAG,
  createdAt: TIME,
})

const readRun = rowReader('a run of a source', {
  id: ID,
  at: TIME,
  actor: TEXT,
  tokenId: optional(INTEGER),
  file: TEXT,
  read: COUNT,
  added: COUNT,
  corrected: COUNT,
  returned: COUNT,
  removed: COUNT,
  unchanged: COUNT,
  leftOut: COUNT,
  auditId: optional(ID),
  refusal: optional(TEXT),
  reasons: TEXT,
})

function runOf(row: Row): SourceRun {
  const { reasons, ...found } = readRun(row)
  return { ...found, reasons: JSON.parse(reasons) }
}

const readTime = rowReader('the time of a run', { sourceId: ID, at: TIME })

const originOf = rowReader<PetOrigin>('the origin of an animal', { petId: ID, source: TEXT, externalId: TEXT })
const ORIGIN = `SELECT pet_id, source.name AS source, external_id FROM source_pet JOIN source ON source.id = source_id`

/** The condition that a source has a name, its parameter. */
export const HAS_SOURCE_NAME = 'lower(name) = lower(?)'

export function sourceOperations({ idsIn }: Pick<Dialect, 'idsIn'>) {
  return {
    listSources: longReadInSteps(sourcesFound),
    createSource: plainWrite<Store['createSource']>(function* (source, entry) {
      const [taken] = yield* run(`SELECT id FROM source WHERE ${HAS_SOURCE_NAME}`, source.name)
      if (taken) throw conflict(`There is already a source "${source.name}".`, 'name')
      const created = yield* addSource(source, entry.at)
      yield* record(entry, created.id)
      return yield* remember(entry, created)
    }),
    changeSource: plainWrite<Store['changeSource']>(function* (id, change, entry) {
      if (!(yield* update('source', id, columnsOf(change)))) return false
      yield* record(entry, id)
      return true
    }),
    removeSource: writeOf({ changes: 'no revision', isOfAnimals: true })<Store['removeSource']>(function* (id, entry) {
      yield* run('DELETE FROM source_run WHERE source_id = ?', id)
      yield* run('DELETE FROM source_pet WHERE source_id = ?', id)
      return yield* change(entry, 'DELETE FROM source WHERE id = ? RETURNING id', id)
    }),
    listSourceRuns: shortRead(runsFound),
    findOrigins: shortRead((petIds: readonly bigint[]) => originsOf(petIds, idsIn)),
    findByExternalId: shortRead((externalId: string) =>
      all(`${ORIGIN} WHERE external_id = ? ORDER BY pet_id`, [externalId], originOf),
    ),
  }
}

export function originsOf(petIds: readonly bigint[], idsIn: string): Query<PetOrigin[]> {
  return all(`${ORIGIN} WHERE pet_id IN ${idsIn}`, [formatIds(petIds)], originOf)
}

function columnsOf<Settings extends SourceChange>({ newCategories, ...settings }: Settings) {
  return { ...settings, newCategories: newCategories === undefined ? undefined : Number(newCategories) }
}

export function* addSource(source: NewSource, createdAt: number): Write<Source> {
  const id = yield* insert('source', { ...columnsOf(source), createdAt })
  return { id, ...source, createdAt, lastRun: undefined, syncedAt: [] }
}

export function* sourcesFound({ name }: SourceQuery): Read<Source[]> {
  const { sql, values } = where([[HAS_SOURCE_NAME, name]])
  const sources = `FROM source ${sql}`
  const found = yield* read(all(`SELECT ${sourceOf.columns} ${sources} ORDER BY lower(name)`, values, sourceOf))
  const ofThese = `source_id IN (SELECT id ${sources})`
  const lastRuns = `SELECT source_id, ${readRun.columns} FROM source_run
    WHERE id IN (SELECT max(id) FROM source_run WHERE ${ofThese} GROUP BY source_id)`
  const runs = yield* read(all(lastRuns, values, row => [readTime(row).sourceId, runOf(row)] as const))
  const lastTimes = `SELECT source_id, at FROM (
      SELECT source_id, at, row_number() OVER (PARTITION BY source_id ORDER BY id DESC) AS place
      FROM source_run WHERE refusal IS NULL AND ${ofThese}) AS synced
    WHERE place <= ${RUNS_LEARNED_FROM} ORDER BY place`
  const times = Map.groupBy(yield* read(all(lastTimes, values, readTime)), ({ sourceId }) => sourceId)
  const lastRunOf = new Map(runs)
  return found.map(source => ({
    ...source,
    lastRun: lastRunOf.get(source.id),
    syncedAt: times.get(source.id)?.map(({ at }) => at) ?? [],
  }))
}

function runsFound({ sourceId, beforeId, limit }: SourceRunQuery): Query<SourceRun[]> {
  const { sql, values } = where([
    ['source_id = ?', sourceId],
    ['id < ?', beforeId],
  ])
  return all(`SELECT ${readRun.columns} FROM source_run ${sql} ORDER BY id DESC LIMIT ?`, [...values, limit], runOf)
}
