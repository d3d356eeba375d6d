import { type NewAuditEntry, withDetails } from '../domain/audit.ts'
import { type BadLine, MAX_BAD_LINES_KEPT } from '../domain/bad-lines.ts'
import { explainMisread, mayBeMisread } from '../domain/misread-name.ts'
import type { Pet } from '../domain/pet.ts'
import type { SyncTerms } from '../domain/pet-files.ts'
import type { PetFilter } from '../domain/pet-selection.ts'
import {
  type CommitOptions,
  type ExportedPet,
  idGivenBefore,
  NOTHING_DONE,
  noSuchAnimal,
  type Outcome,
  type PetChangeLine,
  type PetExport,
  type PetImport,
  type PetLine,
  type PetSync,
  type PetTransfer,
  type PetUpdate,
} from '../domain/pet-transfer.ts'
import { record } from './audit.ts'
import { COLUMNS, columnValues, eachColumn, OLD, typedColumns } from './pet-columns.ts'
import { formatIds, whereSelected } from './pet-filter.ts'
import { CHANGE_COLUMNS } from './pet-history.ts'
import { SqlPetSync, SYNC_TABLES } from './pet-sync.ts'
import { petOf } from './pets.ts'
import { originsOf } from './sources.ts'
import { StagedFile } from './staged-file.ts'
import type { Row } from './statement.ts'
import {
  orUnavailable,
  readLabels,
  runWrite,
  type StagingTable,
  type TransferConnection,
} from './transfer-connection.ts'
import { read } from './write.ts'

const EXPORT_BATCH_SIZE = 1_000

export class SqlPetTransfer implements PetTransfer {
  readonly #connect: () => Promise<TransferConnection>

  constructor(connect: () => Promise<TransferConnection>) {
    this.#connect = connect
  }

  beginImport(): Promise<PetImport> {
    return this.#begin('written', async connection => {
      await connection.createStaging([WITH_ID, WITHOUT_ID])
      return new SqlPetImport(connection, await connection.findHighestId())
    })
  }

  beginUpdate(): Promise<PetUpdate> {
    return this.#begin('written', async connection => {
      await connection.createStaging([UPDATE_LINE])
      return new SqlPetUpdate(connection)
    })
  }

  beginSync(terms: SyncTerms): Promise<PetSync> {
    return this.#begin('written', async connection => {
      await connection.createStaging(SYNC_TABLES)
      return new SqlPetSync(connection, terms)
    })
  }

  beginExport(filter: PetFilter = {}, withOrigins = false): Promise<PetExport> {
    return this.#begin('read', connection => beginExport(connection, filter, withOrigins))
  }

  #begin<Result>(done: 'read' | 'written', work: (connection: TransferConnection) => Promise<Result>): Promise<Result> {
    return orUnavailable(done, async () => {
      const connection = await this.#connect()
      try {
        return await work(connection)
      } catch (error) {
        await connection.close()
        throw error
      }
    })
  }
}

/** The new animals of a file. Those without an id have their place among these, starting at 1. */
const WITH_ID: StagingTable = {
  name: 'import_with_id',
  columns: { id: 'key', line: 'integer', ...typedColumns() },
}
const WITHOUT_ID: StagingTable = { name: 'import_without_id', columns: { place: 'key', ...typedColumns() } }

const COUNT_STAGED = `SELECT count(*) FILTER (WHERE is_free) AS with_id, count(*) FILTER (WHERE NOT is_free) AS refused,
    min(id) FILTER (WHERE is_free) AS lowest, max(id) FILTER (WHERE is_free) AS highest
  FROM (SELECT id, id > ? AS is_free FROM import_with_id) AS staged`

const CATEGORIES_ADDED =
  'SELECT category_id FROM import_without_id UNION SELECT category_id FROM import_with_id WHERE id > ?'

interface StagedRow {
  with_id: bigint
  refused: bigint
  lowest: bigint | null
  highest: bigint | null
}

class SqlPetImport extends StagedFile<PetLine> {
  /** The highest id ever given when the import began. */
  readonly #highestAtStart: bigint
  /** The number of animals without an id. */
  #withoutId = 0

  constructor(connection: TransferConnection, highestAtStart: bigint) {
    super(connection)
    this.#highestAtStart = highestAtStart
  }

  protected async add(pets: readonly PetLine[]): Promise<BadLine[]> {
    const highest = this.#highestAtStart
    const others = pets.filter(({ id }) => id === undefined)
    const [given, free] = [withId(pets, id => id <= highest), withId(pets, id => id > highest)]
    await this.connection.stage(
      WITHOUT_ID,
      others.map(pet => [++this.#withoutId, ...columnValues(pet)]),
    )
    const twice = await this.stageOnce(WITH_ID, free, columnValues)
    return [...given.map(({ id, line }) => ({ line, reason: idGivenBefore(id, highest) })), ...twice]
  }

  protected async foresee(options: CommitOptions): Promise<Outcome> {
    return this.#outcome(await this.connection.findHighestId(), options)
  }

  protected async carryOut(entry: NewAuditEntry, options: CommitOptions): Promise<Outcome> {
    // One action at a time labels categories. Beside an import without labels, changes of animals need not wait.
    if (options.newCategories?.length) await this.connection.beginChange()
    const highest = await this.connection.lockIds()
    const outcome = await this.#outcome(highest, options)
    const { imported, firstId, lastId } = outcome
    if (lastId === undefined) return outcome
    await this.connection.giveIds(lastId)
    await this.#createAnimals(highest, lastId)
    const own = withDetails(entry, { count: imported, firstId, lastId })
    return { ...outcome, entryId: await runWrite(record(own), this.connection) }
  }

  /** What a commit does if `highest` is the highest id ever given. */
  async #outcome(highest: bigint, options: CommitOptions): Promise<Outcome> {
    const [staged] = (await this.query<StagedRow>(COUNT_STAGED, [highest])) as [StagedRow]
    const refusal = { refused: Number(staged.refused), refusedLines: await this.#refusedLines(highest) }
    const imported = Number(staged.with_id) + this.#withoutId
    if (imported === 0 || (refusal.refused > 0 && !options.skipRefused)) return { ...NOTHING_DONE, ...refusal }
    const firstId = staged.lowest ?? highest + 1n
    const lastId = (staged.highest ?? highest) + BigInt(this.#withoutId)
    const newCategories = await this.labelled(options, CATEGORIES_ADDED, [highest])
    return { ...NOTHING_DONE, imported, firstId, lastId, newCategories, ...refusal }
  }

  async #refusedLines(highest: bigint): Promise<BadLine[]> {
    const sql = 'SELECT line, id FROM import_with_id WHERE id <= ? ORDER BY line LIMIT ?'
    const rows = await this.query<{ line: bigint; id: bigint }>(sql, [highest, MAX_BAD_LINES_KEPT])
    return rows.map(({ line, id }) => ({ line: Number(line), reason: idGivenBefore(id, highest) }))
  }

  async #createAnimals(highest: bigint, lastId: bigint): Promise<void> {
    const { storedColumns } = this.connection.dialect
    await this.query(
      `INSERT INTO pet (id, ${storedColumns}) SELECT id, ${storedColumns} FROM import_with_id WHERE id > ? ORDER BY id`,
      [highest],
    )
    await this.query(
      `INSERT INTO pet (id, ${storedColumns})
       SELECT CAST(? AS BIGINT) + place, ${storedColumns} FROM import_without_id ORDER BY place`,
      [lastId - BigInt(this.#withoutId)],
    )
  }
}

function withId(pets: readonly PetLine[], isWanted: (id: bigint) => boolean) {
  return pets.filter((pet): pet is PetLine & { id: bigint } => pet.id !== undefined && isWanted(pet.id))
}

/** The values in the lines, those of the animal, null if there is none, and what the commit will store. */
const UPDATE_LINE: StagingTable = {
  name: 'update_line',
  columns: {
    ...{ id: 'key', line: 'integer' },
    ...{ ...typedColumns('given_'), ...typedColumns('old_'), ...typedColumns() },
  },
}

const NEW_COLUMNS = eachColumn(column => `line.${column}`)
/** Every animal has a name. */
const IS_FOUND = 'old_name IS NOT NULL'
const IS_CHANGE = `${IS_FOUND} AND (${eachColumn(column => `line.${column} IS DISTINCT FROM old_${column}`, ' OR ')})`

const COUNT_CHANGES = `SELECT count(*) FILTER (WHERE ${IS_CHANGE}) AS updated, count(*) FILTER (WHERE ${IS_FOUND}) AS found,
    count(*) AS all_lines
  FROM update_line AS line`

const CATEGORIES_CHANGED = `SELECT line.category_id FROM update_line AS line WHERE ${IS_CHANGE}`

interface ChangesRow {
  updated: bigint
  found: bigint
  all_lines: bigint
}

class SqlPetUpdate extends StagedFile<PetChangeLine> {
  /** The number of corrections and deletions in the store when the animals of the lines were last read. */
  #corrections: bigint | undefined

  protected async add(changes: readonly PetChangeLine[]): Promise<BadLine[]> {
    const sql = `SELECT id, name FROM pet WHERE id IN ${this.connection.dialect.idsIn}`
    const rows = await this.query<{ id: bigint; name: string }>(sql, [formatIds(changes.map(({ id }) => id))])
    const names = new Map(rows.map(({ id, name }) => [id, name]))
    const bad = new Map(changes.flatMap(one => badLineOf(one, names.get(one.id)).map(found => [one, found] as const)))
    const good = changes.filter(change => !bad.has(change))
    return [...bad.values(), ...(await this.stageOnce(UPDATE_LINE, good, ({ change }) => columnValues(change)))]
  }

  protected async foresee(options: CommitOptions): Promise<Outcome> {
    await this.#readAnimals()
    return this.#outcome(options)
  }

  protected async carryOut(entry: NewAuditEntry, options: CommitOptions): Promise<Outcome> {
    // Do most of the work before other writes have to wait.
    await this.#readAnimals()
    await this.connection.beginChange()
    const outcome = await this.foresee(options)
    return outcome.updated === 0 ? outcome : { ...outcome, entryId: await this.#change(entry, outcome.updated) }
  }

  /** Reads the current values of the animals in the lines, unless none has changed since the last time. */
  async #readAnimals(): Promise<void> {
    const corrections = await this.readCorrections()
    if (corrections === this.#corrections) return
    await this.connection.restage(
      `UPDATE update_line SET ${eachColumn(column => `old_${column} = NULL`)}
       WHERE ${IS_FOUND} AND NOT EXISTS (SELECT 1 FROM pet WHERE pet.id = update_line.id)`,
    )
    const newValues = eachColumn(column => `coalesce(given_${column}, pet.${column})`)
    await this.connection.restage(
      `UPDATE update_line SET (${OLD}, ${COLUMNS}) = (${eachColumn(column => `pet.${column}`)}, ${newValues})
       FROM pet WHERE pet.id = update_line.id
         AND (${eachColumn(column => `old_${column} IS DISTINCT FROM pet.${column}`, ' OR ')})`,
    )
    this.#corrections = corrections
  }

  async #outcome(options: CommitOptions): Promise<Outcome> {
    const [counts] = (await this.query<ChangesRow>(COUNT_CHANGES)) as [ChangesRow]
    const sql = `SELECT line, id FROM update_line WHERE NOT (${IS_FOUND}) ORDER BY line LIMIT ?`
    const missing = await this.query<{ line: bigint; id: bigint }>(sql, [MAX_BAD_LINES_KEPT])
    const refused = Number(counts.all_lines - counts.found)
    const isCarriedOut = refused === 0 || options.skipRefused
    return {
      ...NOTHING_DONE,
      newCategories: isCarriedOut ? await this.labelled(options, CATEGORIES_CHANGED) : [],
      updated: isCarriedOut ? Number(counts.updated) : 0,
      unchanged: isCarriedOut ? Number(counts.found - counts.updated) : 0,
      refused,
      refusedLines: missing.map(({ line, id }) => ({ line: Number(line), reason: noSuchAnimal(id) })),
    }
  }

  /** Returns the id of the audit entry. */
  async #change(entry: NewAuditEntry, count: number): Promise<bigint> {
    const { storedColumns } = this.connection.dialect
    const auditId = await runWrite(record(withDetails(entry, { count })), this.connection)
    await this.query(
      `INSERT INTO pet_change (${CHANGE_COLUMNS}) SELECT id, CAST(? AS BIGINT), ${OLD}, ${NEW_COLUMNS}
       FROM update_line AS line WHERE ${IS_CHANGE} ORDER BY id`,
      [auditId],
    )
    await this.query(
      `UPDATE pet SET (${storedColumns}) = (${storedColumns.replaceAll(/\w+/g, 'line.$&')})
       FROM update_line AS line WHERE pet.id = line.id AND ${IS_CHANGE}`,
    )
    return auditId
  }
}

/** The fault of a line, or none: there is no such animal, or the name is in doubt, or a damaged form of the stored one. */
function badLineOf({ line, id, change: { name }, doubt }: PetChangeLine, stored: string | undefined): BadLine[] {
  if (stored === undefined) return [{ line, reason: noSuchAnimal(id) }]
  if (name === undefined || name === stored) return []
  const reason = doubt || mayBeMisread(name) ? explainMisread(name, stored) : undefined
  if (reason !== undefined) return [{ line, reason, problems: [{ member: 'name', value: name, reason }] }]
  return doubt ? [doubt] : []
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
      const page = `${connection.dialect.selectPet} ${sql} ORDER BY id LIMIT ${EXPORT_BATCH_SIZE}`
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
