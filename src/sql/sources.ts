import type { NewAuditEntry } from '../domain/audit.ts'
import { UserError } from '../domain/errors.ts'
import { MISSING_RULES, RUNS_LEARNED_FROM, type Source, type SourceRun, type SourceSettings } from '../domain/source.ts'
import type { NewSource, PetOrigin, SourceQuery, SourceRunQuery } from '../domain/store/sources.ts'
import { record } from './audit.ts'
import type { Dialect } from './dialect.ts'
import { longReadInSteps, shortRead, write } from './operation.ts'
import { remember } from './operator-creations.ts'
import { formatIds } from './pet-filter.ts'
import { COUNT, ID, INTEGER, oneOf, optional, POSITIVE, rowReader, TEXT, TIME } from './row-reader.ts'
import { all, type Query, type Row, where } from './statement.ts'
import { insert, type Read, read, run, type Write } from './write.ts'

const sourceOf = rowReader('a source', {
  id: ID,
  name: TEXT,
  keyColumn: optional(TEXT),
  missing: oneOf(MISSING_RULES),
  maxRemovals: optional(TEXT),
  pauseSeconds: optional(POSITIVE),
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

const originOf = rowReader<PetOrigin>('the origin of an animal', { petId: ID, source: TEXT, externalId: TEXT })
const ORIGIN = `SELECT pet_id, source.name AS source, external_id FROM source_pet JOIN source ON source.id = source_id`

/** The condition that a source has a name, its parameter. */
export const HAS_SOURCE_NAME = 'lower(name) = lower(?)'

const NO_REVISION = { changes: 'no revision' } as const

export function sourceOperations({ idsIn }: Pick<Dialect, 'idsIn'>) {
  return {
    listSources: longReadInSteps(sourcesFound),
    createSource: write(NO_REVISION, function* (source: NewSource, entry: NewAuditEntry): Write<Source> {
      const [taken] = yield* run(`SELECT id FROM source WHERE ${HAS_SOURCE_NAME}`, source.name)
      if (taken) throw new UserError('conflict', `There is already a source "${source.name}".`, 'name')
      const created = yield* addSource(source, entry.at)
      yield* record(entry, created.id)
      yield* remember(entry, created)
      return created
    }),
    changeSource: write(
      NO_REVISION,
      function* (id: bigint, settings: SourceSettings, entry: NewAuditEntry): Write<boolean> {
        const { keyColumn = null, missing, maxRemovals = null, pauseSeconds = null } = settings
        const sql =
          'UPDATE source SET key_column = ?, missing = ?, max_removals = ?, pause_seconds = ? WHERE id = ? RETURNING id'
        const [changed] = yield* run(sql, keyColumn, missing, maxRemovals, pauseSeconds, id)
        if (!changed) return false
        yield* record(entry, id)
        return true
      },
    ),
    removeSource: write(
      { ...NO_REVISION, isOfAnimals: true },
      function* (id: bigint, entry: NewAuditEntry): Write<boolean> {
        yield* run('DELETE FROM source_run WHERE source_id = ?', id)
        yield* run('DELETE FROM source_pet WHERE source_id = ?', id)
        const [removed] = yield* run('DELETE FROM source WHERE id = ? RETURNING id', id)
        if (!removed) return false
        yield* record(entry, id)
        return true
      },
    ),
    listSourceRuns: shortRead(runsFound),
    findOrigins: shortRead((petIds: readonly bigint[]) =>
      all(`${ORIGIN} WHERE pet_id IN ${idsIn}`, [formatIds(petIds)], originOf),
    ),
    findByExternalId: shortRead((externalId: string) =>
      all(`${ORIGIN} WHERE external_id = ? ORDER BY pet_id`, [externalId], originOf),
    ),
  }
}

export function* addSource(source: NewSource, createdAt: number): Write<Source> {
  const id = yield* insert('source', { ...source, createdAt })
  return { id, ...source, createdAt, lastRun: undefined, syncedAt: [] }
}

export function* sourcesFound({ name }: SourceQuery): Read<Source[]> {
  const { sql, values } = where([[HAS_SOURCE_NAME, name]])
  const found = yield* read(all(`SELECT ${sourceOf.columns} FROM source ${sql} ORDER BY lower(name)`, values, sourceOf))
  const sources: Source[] = []
  for (const source of found) {
    const [lastRun] = yield* read(runsFound({ sourceId: source.id, limit: 1 }))
    const syncedAt = yield* read(timesOfSyncs(source.id))
    sources.push({ ...source, lastRun, syncedAt })
  }
  return sources
}

function runsFound({ sourceId, beforeId, limit }: SourceRunQuery): Query<SourceRun[]> {
  const { sql, values } = where([
    ['source_id = ?', sourceId],
    ['id < ?', beforeId],
  ])
  return all(`SELECT ${readRun.columns} FROM source_run ${sql} ORDER BY id DESC LIMIT ?`, [...values, limit], runOf)
}

function timesOfSyncs(sourceId: bigint): Query<number[]> {
  const readTime = rowReader('a run of a source', { at: TIME })
  const sql = 'SELECT at FROM source_run WHERE source_id = ? AND refusal IS NULL ORDER BY id DESC LIMIT ?'
  return all(sql, [sourceId, RUNS_LEARNED_FROM], row => readTime(row).at)
}
