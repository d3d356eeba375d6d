import { type NewAuditEntry, withDetails } from '../domain/audit.ts'
import { type BadLine, MAX_BAD_LINES_KEPT } from '../domain/bad-lines.ts'
import { explainMisread, mayBeMisread } from '../domain/misread-name.ts'
import type { Pet } from '../domain/pet.ts'
import type { SyncTerms } from '../domain/pet-files.ts'
import type { PetFilter } from '../domain/pet-selection.ts'
import {
  type CommitOptions,
  type ExportedPet,
  type ImportOutcome,
  idGivenBefore,
  idTwice,
  noSuchAnimal,
  type PetChangeLine,
  type PetExport,
  type PetImport,
  type PetLine,
  type PetSync,
  type PetTransfer,
  type PetUpdate,
  type UpdateOutcome,
} from '../domain/pet-transfer.ts'
import { record } from './audit.ts'
import { remember } from './operator-creations.ts'
import { eachColumn } from './pet-columns.ts'
import { formatIds, whereSelected } from './pet-filter.ts'
import { CHANGE_COLUMNS } from './pet-history.ts'
import { SqlPetSync } from './pet-sync.ts'
import { petOf } from './pets.ts'
import { originsOf } from './sources.ts'
import { StagedFile } from './staged-file.ts'
import type { Row } from './statement.ts'
import { labelCategories, orUnavailable, readLabels, runWrite, type TransferConnection } from './transfer-connection.ts'
import { read } from './write.ts'

const EXPORT_BATCH_SIZE = 1_000

/** Import and export for every SQL store. */
export class SqlPetTransfer implements PetTransfer {
  readonly #connect: () => Promise<TransferConnection>

  constructor(connect: () => Promise<TransferConnection>) {
    this.#connect = connect
  }

  beginImport(): Promise<PetImport> {
    return orUnavailable('written', () =>
      this.#begin(async connection => {
        await connection.createStaging()
        return new SqlPetImport(connection, await connection.findHighestId())
      }),
    )
  }

  beginUpdate(): Promise<PetUpdate> {
    return orUnavailable('written', () =>
      this.#begin(async connection => {
        await connection.createUpdateStaging()
        return new SqlPetUpdate(connection)
      }),
    )
  }

  beginSync(terms: SyncTerms): Promise<PetSync> {
    return orUnavailable('written', () =>
      this.#begin(async connection => {
        await connection.createSyncStaging()
        return new SqlPetSync(connection, terms)
      }),
    )
  }

  beginExport(filter: PetFilter = {}, withOrigins = false): Promise<PetExport> {
    return orUnavailable('read', () => this.#begin(connection => beginExport(connection, filter, withOrigins)))
  }

  async #begin<Result>(work: (connection: TransferConnection) => Promise<Result>): Promise<Result> {
    const connection = await this.#connect()
    try {
      return await work(connection)
    } catch (error) {
      await connection.close()
      throw error
    }
  }
}

const COUNT_STAGED = `SELECT count(*) FILTER (WHERE is_free) AS with_id, count(*) FILTER (WHERE NOT is_free) AS refused,
    min(id) FILTER (WHERE is_free) AS lowest, max(id) FILTER (WHERE is_free) AS highest,
    (SELECT count(*) FROM import_without_id) AS without_id
  FROM (SELECT id, id > ? AS is_free FROM import_with_id) AS staged`

interface StagedRow {
  with_id: bigint
  refused: bigint
  lowest: bigint | null
  highest: bigint | null
  without_id: bigint
}

class SqlPetImport extends StagedFile implements PetImport {
  /** The highest id ever given when the import began. */
  readonly #highestAtStart: bigint

  constructor(connection: TransferConnection, highestAtStart: bigint) {
    super(connection)
    this.#highestAtStart = highestAtStart
  }

  stage(pets: readonly PetLine[]): Promise<BadLine[]> {
    const highest = this.#highestAtStart
    return orUnavailable('written', async () => {
      const lines = await this.connection.stage(pets.filter(({ id }) => id === undefined || id > highest))
      return pets.flatMap(({ line, id }) => {
        if (id === undefined) return []
        if (id <= highest) return [{ line, reason: idGivenBefore(id, highest) }]
        const stagedLine = lines.get(id) ?? line
        return stagedLine === line ? [] : [{ line, reason: idTwice(id, stagedLine) }]
      })
    })
  }

  preview(options: CommitOptions<ImportOutcome>): Promise<ImportOutcome> {
    return orUnavailable('read', async () => this.#outcome(await this.connection.findHighestId(), options))
  }

  commit(entry: NewAuditEntry, options: CommitOptions<ImportOutcome>): Promise<ImportOutcome> {
    return this.end(async () => {
      const highest = await this.connection.beginCommit()
      const outcome = await this.#outcome(highest, options)
      const { imported, firstId, lastId } = outcome
      if (lastId === undefined) return outcome
      await this.connection.giveIds(lastId)
      await this.#createAnimals(highest, lastId)
      const own = withDetails(entry, { count: imported, firstId, lastId })
      const done = { ...outcome, entryId: await runWrite(record(own), this.connection) }
      await finish(done, entry, options, this.connection)
      return done
    })
  }

  /** What a commit does if `highest` is the highest id ever given. */
  async #outcome(highest: bigint, { skipRefused }: CommitOptions<ImportOutcome>): Promise<ImportOutcome> {
    const [staged] = (await this.query<StagedRow>(COUNT_STAGED, [highest])) as [StagedRow]
    const refusal = { refused: Number(staged.refused), refusedLines: await this.#refusedLines(highest) }
    const imported = Number(staged.with_id + staged.without_id)
    if (imported === 0 || (refusal.refused > 0 && !skipRefused)) {
      return { imported: 0, firstId: undefined, lastId: undefined, ...refusal }
    }
    const firstId = staged.lowest ?? highest + 1n
    const lastId = (staged.highest ?? highest) + staged.without_id
    return { imported, firstId, lastId, ...refusal }
  }

  async #refusedLines(highest: bigint): Promise<BadLine[]> {
    const sql = 'SELECT line, id FROM import_with_id WHERE id <= ? ORDER BY line LIMIT ?'
    const rows = await this.query<{ line: bigint; id: bigint }>(sql, [highest, MAX_BAD_LINES_KEPT])
    return rows.map(({ line, id }) => ({ line: Number(line), reason: idGivenBefore(id, highest) }))
  }

  async #createAnimals(highest: bigint, lastId: bigint): Promise<void> {
    const { columns } = this.connection
    await this.query(
      `INSERT INTO pet (id, ${columns}) SELECT id, ${columns} FROM import_with_id WHERE id > ? ORDER BY id`,
      [highest],
    )
    await this.query(
      `INSERT INTO pet (id, ${columns})
       SELECT ? - (SELECT count(*) FROM import_without_id) + place, ${columns} FROM import_without_id ORDER BY place`,
      [lastId],
    )
  }
}

const OLD_COLUMNS = eachColumn(column => `old_${column}`)
const newValue = (column: string) => `coalesce(given_${column}, old_${column})`
const differs = (column: string) => `${newValue(column)} IS DISTINCT FROM old_${column}`
/** Every animal has a name. */
const IS_FOUND = 'old_name IS NOT NULL'
const IS_CHANGE = `${IS_FOUND} AND (${eachColumn(differs, ' OR ')})`

const COUNT_CHANGES = `SELECT count(*) FILTER (WHERE ${IS_CHANGE}) AS updated, count(*) FILTER (WHERE ${IS_FOUND}) AS found,
    count(*) AS all_lines
  FROM update_line`

interface ChangesRow {
  updated: bigint
  found: bigint
  all_lines: bigint
}

class SqlPetUpdate extends StagedFile implements PetUpdate {
  /** The number of corrections and deletions in the store when the animals of the lines were last read. */
  #corrections: bigint | undefined

  stage(changes: readonly PetChangeLine[]): Promise<BadLine[]> {
    return orUnavailable('written', async () => {
      const missing = await this.connection.findMissing(changes.map(({ id }) => id))
      const badNames = await this.#findBadNames(changes)
      const good = changes.filter(change => !missing.has(change.id) && !badNames.has(change))
      const lines = await this.connection.stageChanges(good)
      return changes.flatMap(change => {
        const { line, id } = change
        if (missing.has(id)) return [{ line, reason: noSuchAnimal(id) }]
        const bad = badNames.get(change)
        if (bad) return [bad]
        const stagedLine = lines.get(id) ?? line
        return stagedLine === line ? [] : [{ line, reason: idTwice(id, stagedLine) }]
      })
    })
  }

  /** The lines whose name is in doubt, or a damaged form of the stored one. Only suspicious names are looked up, for speed. */
  async #findBadNames(changes: readonly PetChangeLine[]): Promise<ReadonlyMap<PetChangeLine, BadLine>> {
    const suspicious = changes.filter(
      ({ change: { name }, doubt }) => doubt || (name !== undefined && mayBeMisread(name)),
    )
    if (suspicious.length === 0) return new Map()
    const sql = `SELECT id, name FROM pet WHERE id IN ${this.connection.dialect.idsIn}`
    const rows = await this.query<{ id: bigint; name: string }>(sql, [formatIds(suspicious.map(({ id }) => id))])
    const stored = new Map(rows.map(({ id, name }) => [id, name]))
    return new Map(
      suspicious.flatMap(one => {
        const [given, name] = [one.change.name, stored.get(one.id)]
        if (given === undefined || name === undefined || given === name) return []
        const reason = explainMisread(given, name)
        const bad = reason === undefined ? one.doubt : badName(one, reason)
        return bad ? [[one, bad] as const] : []
      }),
    )
  }

  preview(options: CommitOptions<UpdateOutcome>): Promise<UpdateOutcome> {
    return orUnavailable('read', async () => {
      await this.#readAnimals()
      return this.#outcome(options)
    })
  }

  commit(entry: NewAuditEntry, options: CommitOptions<UpdateOutcome>): Promise<UpdateOutcome> {
    return this.end(async () => {
      // Do most of the work before other writes have to wait.
      await this.#readAnimals()
      await this.connection.beginUpdate()
      await this.#readAnimals()
      const outcome = await this.#outcome(options)
      if (outcome.updated === 0) return outcome
      const done = { ...outcome, entryId: await this.#change(entry, outcome.updated) }
      await finish(done, entry, options, this.connection)
      return done
    })
  }

  /** Reads the current values of the animals in the lines, unless none has changed since the last time. */
  async #readAnimals(): Promise<void> {
    const { resolved } = this.connection
    const [now] = (await this.query<{ corrections: bigint }>('SELECT corrections FROM revision')) as [
      { corrections: bigint },
    ]
    if (now.corrections === this.#corrections) return
    await this.connection.restage(
      `UPDATE update_line SET ${eachColumn(column => `old_${column} = NULL`)}
       WHERE ${IS_FOUND} AND NOT EXISTS (SELECT 1 FROM pet WHERE pet.id = update_line.id)`,
    )
    await this.connection.restage(
      `UPDATE update_line SET ${eachColumn(column => `old_${column} = pet.${column}`)}${resolved}
       FROM pet WHERE pet.id = update_line.id
         AND (${eachColumn(column => `old_${column} IS DISTINCT FROM pet.${column}`, ' OR ')})`,
    )
    this.#corrections = now.corrections
  }

  async #outcome({ skipRefused }: CommitOptions<UpdateOutcome>): Promise<UpdateOutcome> {
    const [counts] = (await this.query<ChangesRow>(COUNT_CHANGES)) as [ChangesRow]
    const sql = `SELECT line, id FROM update_line WHERE NOT (${IS_FOUND}) ORDER BY line LIMIT ?`
    const missing = await this.query<{ line: bigint; id: bigint }>(sql, [MAX_BAD_LINES_KEPT])
    const refused = Number(counts.all_lines - counts.found)
    const isCarriedOut = refused === 0 || skipRefused
    return {
      updated: isCarriedOut ? Number(counts.updated) : 0,
      unchanged: isCarriedOut ? Number(counts.found - counts.updated) : 0,
      refused,
      refusedLines: missing.map(({ line, id }) => ({ line: Number(line), reason: noSuchAnimal(id) })),
    }
  }

  /** Returns the id of the audit entry. */
  async #change(entry: NewAuditEntry, count: number): Promise<bigint> {
    const { applied } = this.connection
    const auditId = await runWrite(record(withDetails(entry, { count })), this.connection)
    await this.query(
      `INSERT INTO pet_change (${CHANGE_COLUMNS})
       SELECT id, CAST(? AS BIGINT), ${OLD_COLUMNS}, ${eachColumn(newValue)}
       FROM update_line WHERE ${IS_CHANGE} ORDER BY id`,
      [auditId],
    )
    await this.query(
      `UPDATE pet SET ${eachColumn(column => `${column} = ${newValue(column)}`)}${applied}
       FROM update_line AS line WHERE pet.id = line.id AND (${IS_CHANGE})`,
    )
    return auditId
  }
}

/** Ends a commit that has changed animals. */
async function finish<Outcome extends { entryId: bigint }>(
  outcome: Outcome,
  entry: NewAuditEntry,
  options: CommitOptions<Outcome>,
  connection: TransferConnection,
): Promise<void> {
  await labelCategories(outcome.entryId, entry, options, connection)
  await runWrite(remember(entry, options.reportOf?.(outcome)), connection)
  await connection.commit()
}

function badName({ line, change: { name } }: PetChangeLine, reason: string): BadLine {
  return { line, reason, problems: [{ member: 'name', value: name, reason }] }
}

async function beginExport(
  connection: TransferConnection,
  filter: PetFilter,
  withOrigins: boolean,
): Promise<PetExport> {
  await connection.beginSnapshot()
  const all = whereSelected(filter, connection.dialect)
  const counted = await connection.query<{ count: bigint }>(`SELECT count(*) AS count FROM pet ${all.sql}`, all.values)
  const [{ count }] = counted as [{ count: bigint }]
  const labels = new Map((await readLabels(connection)).map(({ id, label }) => [id, label]))

  async function* readBatches(): AsyncIterable<readonly ExportedPet[]> {
    for (let { afterId = 0n } = filter; ; ) {
      const { sql, values } = whereSelected({ ...filter, afterId }, connection.dialect)
      const page = `SELECT id, ${connection.columns} FROM pet ${sql} ORDER BY id LIMIT ${EXPORT_BATCH_SIZE}`
      const pets = (await orUnavailable('read', () => connection.query<Row>(page, values))).map(petOf)
      const last = pets.at(-1)
      if (!last) return
      yield withOrigins ? await addOrigins(pets) : pets
      afterId = last.id
    }
  }

  async function addOrigins(pets: readonly Pet[]): Promise<ExportedPet[]> {
    const query = originsOf(
      pets.map(({ id }) => id),
      connection.dialect.idsIn,
    )
    const origins = await orUnavailable('read', () => runWrite(read(query), connection))
    const originOf = new Map(origins.map(origin => [origin.petId, origin]))
    return pets.map(pet => ({ ...pet, origin: originOf.get(pet.id) }))
  }

  return { count: Number(count), labels, batches: readBatches(), close: () => connection.close() }
}
