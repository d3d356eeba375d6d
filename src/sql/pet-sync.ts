import { isDeepStrictEqual } from 'node:util'
import { type NewAuditEntry, withChange, withDetails } from '../domain/audit.ts'
import { type BadLine, MAX_BAD_LINES_KEPT } from '../domain/bad-lines.ts'
import { DEFAULT_PET_STATUS } from '../domain/pet.ts'
import type { SyncTerms } from '../domain/pet-files.ts'
import {
  type CommitOptions,
  NOTHING_DONE,
  type Outcome,
  type PetSync,
  type RunReport,
  type SyncLine,
  syncCounts,
} from '../domain/pet-transfer.ts'
import {
  allowedRemovals,
  DEFAULT_SOURCE,
  MAX_RUNS_KEPT,
  type MissingRule,
  noSuchSource,
  type Source,
  type SourceReading,
  tooManyRemovals,
} from '../domain/source.ts'
import { record } from './audit.ts'
import { ensurePermitted } from './permit.ts'
import { columnValues, eachColumn, NEW, OLD, typedColumns } from './pet-columns.ts'
import { CHANGE_COLUMNS } from './pet-history.ts'
import { applyChanges } from './pet-undo.ts'
import { addSource, sourcesFound } from './sources.ts'
import { StagedFile } from './staged-file.ts'
import { orUnavailable, runWrite, type StagingTable, type TransferConnection } from './transfer-connection.ts'
import { insert } from './write.ts'

const PET = eachColumn(column => `pet.${column}`)

/** The lines, and what they change: a row for each animal that is not as in the file, and for each that was missing, or is now. */
export const SYNC_TABLES = [
  {
    name: 'sync_line',
    columns: { line: 'key', external_id: 'text', ...typedColumns('given_') },
    index: 'external_id',
  },
  {
    name: 'sync_plan',
    columns: {
      ...{ external_id: 'text', pet_id: 'integer', place: 'integer', is_missing: 'integer', was_missing: 'integer' },
      ...{ ...typedColumns('old_'), ...typedColumns('new_') },
    },
  },
] as const satisfies readonly StagingTable[]

const PLAN = `INSERT INTO sync_plan (external_id, pet_id, place, is_missing, was_missing, ${OLD}, ${NEW})`

/** An animal that was missing, and whose line has no status, is available again. */
const newValue = (column: string) =>
  column === 'status'
    ? `coalesce(given_status, CASE WHEN missing_since IS NULL THEN pet.status END, '${DEFAULT_PET_STATUS}')`
    : `coalesce(given_${column}, pet.${column})`

/** `place` numbers the new animals in the order of the file. */
const PLAN_LINES = `${PLAN}
  SELECT line.external_id, own.pet_id,
    CASE WHEN own.pet_id IS NULL THEN row_number() OVER (PARTITION BY own.pet_id IS NULL ORDER BY line.line) END,
    0, CASE WHEN own.missing_since IS NULL AND (own.pet_id IS NULL OR pet.id IS NOT NULL) THEN 0 ELSE 1 END,
    ${PET}, ${eachColumn(newValue)}
  FROM sync_line AS line
  LEFT JOIN source_pet AS own ON own.source_id = ? AND own.external_id = line.external_id
  LEFT JOIN pet ON pet.id = own.pet_id
  WHERE given_name IS NOT NULL
    AND (pet.id IS NULL OR missing_since IS NOT NULL OR ${eachColumn(column => `${newValue(column)} IS DISTINCT FROM pet.${column}`, ' OR ')})`

/** How a missing animal is treated, and whether that is still to be done. */
const MISSING: Record<Exclude<MissingRule, 'keep'>, { values: string; isDue: string }> = {
  sold: { values: eachColumn(column => (column === 'status' ? "'sold'" : `pet.${column}`)), isDue: "status <> 'sold'" },
  delete: { values: eachColumn(() => 'NULL'), isDue: 'true' },
}

const OWN_PETS = 'FROM source_pet AS own JOIN pet ON pet.id = own.pet_id WHERE own.source_id = ?'

const planMissing = ({ values, isDue }: (typeof MISSING)['sold']) => `${PLAN}
  SELECT external_id, pet_id, NULL, 1, CASE WHEN missing_since IS NULL THEN 0 ELSE 1 END, ${PET}, ${values} ${OWN_PETS}
    AND NOT EXISTS (SELECT 1 FROM sync_line AS line WHERE line.external_id = own.external_id)
    AND (missing_since IS NULL OR ${isDue})`

const IS_CHANGE = eachColumn(column => `old_${column} IS DISTINCT FROM new_${column}`, ' OR ')
const IS_ADDED = 'place IS NOT NULL'

const COUNT_PLAN = `SELECT count(*) FILTER (WHERE ${IS_ADDED}) AS added,
    count(*) FILTER (WHERE NOT ${IS_ADDED} AND is_missing = 0 AND was_missing = 0) AS corrected,
    count(*) FILTER (WHERE is_missing = 0 AND was_missing = 1 AND (${IS_CHANGE})) AS returned,
    count(*) FILTER (WHERE is_missing = 1 AND (${IS_CHANGE})) AS removed,
    count(*) FILTER (WHERE is_missing <> was_missing) AS marked
  FROM sync_plan`

type PlanCounts = Record<'added' | 'corrected' | 'returned' | 'removed' | 'marked', bigint>

const TWICE = 'SELECT external_id FROM sync_line GROUP BY external_id HAVING count(*) > 1'

export class SqlPetSync extends StagedFile<SyncLine> implements PetSync {
  readonly #terms: SyncTerms
  /** A line that cannot be read may be that of any animal: then none counts as missing. */
  #isIncomplete = false
  /** Lines whose id is in other lines, once they have been looked for. */
  #twice: { refused: number; refusedLines: BadLine[] } | undefined
  /** What the plan was made from. */
  #planned: { corrections: bigint; lastRunId: bigint | undefined; rule: MissingRule } | undefined

  constructor(connection: TransferConnection, terms: SyncTerms) {
    super(connection)
    this.#terms = terms
  }

  async findReading(): Promise<SourceReading> {
    const source = (await orUnavailable('read', () => this.#findSource())) ?? DEFAULT_SOURCE
    return { ...source, keyColumn: this.#terms.keyColumn ?? source.keyColumn }
  }

  protected async add(lines: readonly SyncLine[], bad: readonly BadLine[]): Promise<BadLine[]> {
    const known = bad.flatMap(({ line, externalId }) =>
      externalId === undefined ? [] : [{ line, externalId, change: {} }],
    )
    this.#isIncomplete ||= known.length < bad.length
    const rows = [...lines, ...known].map(({ line, externalId, change }) => [line, externalId, ...columnValues(change)])
    await this.connection.stage(SYNC_TABLES[0], rows)
    return []
  }

  protected async foresee(options: CommitOptions): Promise<Outcome> {
    return (await this.#examine(await this.#findSource(), options)).outcome
  }

  protected async carryOut(entry: NewAuditEntry, options: CommitOptions): Promise<Outcome> {
    // Do most of the work before other writes have to wait.
    await this.foresee(options)
    await this.#begin(entry)
    const found = await this.#findSource()
    const { outcome, counts } = await this.#examine(found, options)
    const isRefused = outcome.refusal !== undefined || (outcome.refused > 0 && !options.skipRefused)
    if (isRefused && !found) return outcome
    const source = found ?? (await this.#createSource(entry))
    const done = isRefused ? outcome : await this.#change(source, entry, outcome, counts)
    await this.#noteRun(source, entry, done, options)
    return done
  }

  noteRefusal(entry: NewAuditEntry, options: CommitOptions): Promise<void> {
    return this.end(async () => {
      await this.#begin(entry)
      const source = await this.#findSource()
      if (source) await this.#noteRun(source, entry, NOTHING_DONE, options)
    })
  }

  async #begin(entry: NewAuditEntry): Promise<void> {
    await this.connection.beginChange()
    await runWrite(ensurePermitted(entry), this.connection)
  }

  async #findSource(): Promise<Source | undefined> {
    const [source] = await runWrite(sourcesFound({ name: this.#terms.source }), this.connection)
    if (source || this.#terms.mayCreate) return source
    throw noSuchSource(this.#terms.source)
  }

  async #createSource(entry: NewAuditEntry): Promise<Source> {
    const { source: name, keyColumn, missing = DEFAULT_SOURCE.missing, maxRemovals } = this.#terms
    const source = { ...DEFAULT_SOURCE, name, keyColumn, missing, maxRemovals }
    const created = await runWrite(addSource(source, entry.at), this.connection)
    const own = withChange({ ...entry, action: 'source.create', details: {} }, { after: source })
    await runWrite(record(own, created.id), this.connection)
    return created
  }

  /** What a commit would do. Makes the plan, unless nothing has changed since the last time. */
  async #examine(source: Source | undefined, options: CommitOptions) {
    const rule = this.#terms.missing ?? source?.missing ?? DEFAULT_SOURCE.missing
    this.#twice ??= await this.#leaveOutTwice()
    const state = { corrections: await this.readCorrections(), lastRunId: source?.lastRun?.id, rule }
    if (!isDeepStrictEqual(state, this.#planned)) await this.#plan(source, rule)
    this.#planned = state
    const [counts] = (await this.query<PlanCounts>(COUNT_PLAN)) as [PlanCounts]
    const isRefused = this.#twice.refused > 0 && !options.skipRefused
    const refusal = isRefused ? undefined : await this.#refusal(source, rule, Number(counts.removed))
    if (isRefused || refusal !== undefined) return { counts, outcome: { ...NOTHING_DONE, ...this.#twice, refusal } }
    const [good] = await this.query<{ lines: bigint }>(
      'SELECT count(*) AS lines FROM sync_line WHERE given_name IS NOT NULL',
    )
    const [added, corrected, returned] = [Number(counts.added), Number(counts.corrected), Number(counts.returned)]
    const outcome: Outcome = {
      ...NOTHING_DONE,
      ...this.#twice,
      newCategories: await this.labelled(options, 'SELECT new_category_id FROM sync_plan'),
      imported: added,
      updated: corrected,
      returned,
      removed: Number(counts.removed),
      unchanged: Number(good?.lines) - added - corrected - returned,
    }
    return { counts, outcome }
  }

  async #leaveOutTwice() {
    await this.connection.restage('ANALYZE sync_line')
    const isTwice = `given_name IS NOT NULL AND external_id IN (${TWICE})`
    const [found] = await this.query<{ lines: bigint }>(`SELECT count(*) AS lines FROM sync_line WHERE ${isTwice}`)
    const refused = Number(found?.lines)
    if (refused === 0) return { refused, refusedLines: [] }
    const other = `SELECT min(other.line) FROM sync_line AS other
      WHERE other.external_id = sync_line.external_id AND other.line <> sync_line.line`
    const rows = await this.query<{ line: bigint; external_id: string; other: bigint }>(
      `SELECT line, external_id, (${other}) AS other FROM sync_line WHERE ${isTwice} ORDER BY line LIMIT ?`,
      [MAX_BAD_LINES_KEPT],
    )
    await this.connection.restage(`UPDATE sync_line SET given_name = NULL WHERE ${isTwice}`)
    const refusedLines = rows.map(({ line, external_id, other }) => ({
      line: Number(line),
      reason: `id ${JSON.stringify(external_id)} is also in line ${other}; each animal needs its own id.`,
    }))
    return { refused, refusedLines }
  }

  async #plan(source: Source | undefined, rule: MissingRule): Promise<void> {
    const id = source?.id ?? 0n
    await this.connection.restage('DELETE FROM sync_plan')
    await this.connection.restage(PLAN_LINES, [id])
    if (rule !== 'keep' && !this.#isIncomplete) await this.connection.restage(planMissing(MISSING[rule]), [id])
  }

  async #refusal(source: Source | undefined, rule: MissingRule, removed: number): Promise<string | undefined> {
    if (!source || rule === 'keep' || removed === 0) return undefined
    const sql = `SELECT count(*) AS animals ${OWN_PETS} AND ${MISSING[rule].isDue}`
    const [found] = await this.query<{ animals: bigint }>(sql, [source.id])
    const animals = Number(found?.animals)
    const allowed = allowedRemovals(this.#terms.maxRemovals ?? source.maxRemovals, animals)
    return removed > allowed ? tooManyRemovals(removed, animals, allowed, rule) : undefined
  }

  async #change(source: Source, entry: NewAuditEntry, outcome: Outcome, counts: PlanCounts): Promise<Outcome> {
    const { imported: added, updated: corrected, returned, removed } = outcome
    if (counts.marked > 0n) await this.#markMissing(source.id, entry.at)
    if (added + corrected + returned + removed === 0) return outcome
    const ids = added > 0 ? await this.#giveIds(added) : {}
    const details = { source: source.name, added, corrected, returned, removed }
    const entryId = await runWrite(record(withDetails(entry, details)), this.connection)
    await this.query(
      `INSERT INTO pet_change (${CHANGE_COLUMNS})
       SELECT pet_id, CAST(? AS BIGINT), ${OLD}, ${NEW} FROM sync_plan WHERE ${IS_CHANGE} ORDER BY pet_id`,
      [entryId],
    )
    await runWrite(applyChanges(entryId, this.connection.dialect), this.connection)
    await this.query(
      `INSERT INTO source_pet (source_id, external_id, pet_id)
       SELECT CAST(? AS BIGINT), external_id, pet_id FROM sync_plan WHERE ${IS_ADDED} ORDER BY external_id`,
      [source.id],
    )
    return { ...outcome, ...ids, entryId }
  }

  async #giveIds(added: number): Promise<{ firstId: bigint; lastId: bigint }> {
    const highest = await this.connection.lockIds()
    const lastId = highest + BigInt(added)
    await this.connection.giveIds(lastId)
    await this.connection.restage(`UPDATE sync_plan SET pet_id = CAST(? AS BIGINT) + place WHERE ${IS_ADDED}`, [
      highest,
    ])
    return { firstId: highest + 1n, lastId }
  }

  /** An animal that was deleted, and not missing, keeps the time when it came back. */
  async #markMissing(sourceId: bigint, now: number): Promise<void> {
    await this.query(
      `UPDATE source_pet SET missing_since = CASE WHEN is_missing = 1 THEN CAST(? AS BIGINT) END,
         returned_at = CASE WHEN is_missing = 0 THEN CAST(? AS BIGINT) END
       FROM sync_plan AS plan
       WHERE source_id = ? AND source_pet.external_id = plan.external_id AND plan.place IS NULL
         AND (is_missing = 1) = (missing_since IS NULL)`,
      [now, now, sourceId],
    )
  }

  /** Keeps the last MAX_RUNS_KEPT. */
  async #noteRun(source: Source, entry: NewAuditEntry, outcome: Outcome, { reportOf }: CommitOptions): Promise<void> {
    const report: Partial<RunReport> = reportOf?.(outcome) ?? outcome
    const { read = 0, badLines = 0, reasons = [], refusal } = report
    const values = {
      sourceId: source.id,
      at: entry.at,
      actor: entry.actor,
      tokenId: entry.tokenId,
      file: String(entry.details.file),
      ...syncCounts(outcome, { read, badLines }),
      auditId: outcome.entryId,
      refusal,
      reasons: JSON.stringify(reasons),
    }
    await runWrite(insert('source_run', values), this.connection)
    await this.query(
      `DELETE FROM source_run WHERE source_id = ? AND id NOT IN (
         SELECT id FROM source_run WHERE source_id = ? ORDER BY id DESC LIMIT ${MAX_RUNS_KEPT})`,
      [source.id, source.id],
    )
  }
}
