import type { NewAuditEntry } from '../domain/audit.ts'
import type { BadLine } from '../domain/bad-lines.ts'
import {
  type CommitOptions,
  idTwice,
  type KnownCategories,
  MAX_NEW_CATEGORY,
  type Outcome,
  type Staged,
} from '../domain/pet-transfer.ts'
import type { Category } from '../domain/store/animals.ts'
import { highestCategory } from './categories.ts'
import { labelNew } from './label-changes.ts'
import { remember } from './operator-creations.ts'
import { formatIds } from './pet-filter.ts'
import type { Value } from './statement.ts'
import {
  orUnavailable,
  readLabels,
  runWrite,
  type StagingTable,
  type TransferConnection,
} from './transfer-connection.ts'

/** What imports, corrections and syncs have in common: their lines are staged on a connection that is closed at the end. */
export abstract class StagedFile<Line> implements Staged<Line> {
  protected readonly connection: TransferConnection

  constructor(connection: TransferConnection) {
    this.connection = connection
  }

  /** See `Staged`. */
  protected abstract add(lines: readonly Line[], bad: readonly BadLine[]): Promise<BadLine[]>
  protected abstract foresee(options: CommitOptions): Promise<Outcome>
  /** Changes the animals, and writes the entry if it does. */
  protected abstract carryOut(entry: NewAuditEntry, options: CommitOptions): Promise<Outcome>

  readCategories(withHighest: boolean): Promise<KnownCategories> {
    return orUnavailable('read', async () => {
      const labels = await readLabels(this.connection)
      if (!withHighest) return { labels, highest: 0n }
      const { sql, values } = highestCategory(MAX_NEW_CATEGORY)
      const [row] = await this.query<{ highest: bigint | null }>(sql, values)
      return { labels, highest: row?.highest ?? 0n }
    })
  }

  stage(lines: readonly Line[], bad: readonly BadLine[] = []): Promise<BadLine[]> {
    return orUnavailable('written', () => this.add(lines, bad))
  }

  preview(options: CommitOptions): Promise<Outcome> {
    return orUnavailable('read', () => this.foresee(options))
  }

  commit(entry: NewAuditEntry, options: CommitOptions): Promise<Outcome> {
    return this.end(async () => {
      const outcome = await this.carryOut(entry, options)
      if (outcome.entryId !== undefined) {
        await runWrite(labelNew(outcome.newCategories, outcome.entryId, entry), this.connection)
        await runWrite(remember(entry, options.reportOf?.(outcome) ?? {}), this.connection)
      }
      return outcome
    })
  }

  discard(): Promise<void> {
    return this.connection.close()
  }

  protected query<Found>(sql: string, values: readonly unknown[] = []): Promise<Found[]> {
    return this.connection.query<Found>(sql, values)
  }

  /** The number of corrections and deletions in the store. */
  protected async readCorrections(): Promise<bigint> {
    const [revision] = await this.query<{ corrections: bigint }>('SELECT corrections FROM revision')
    return revision?.corrections ?? 0n
  }

  /** Stages lines in a table with `id` and `line`, except those whose id is already there. Returns why these are left out. */
  protected async stageOnce<One extends { id: bigint; line: number }>(
    table: StagingTable,
    lines: readonly One[],
    valuesOf: (line: One) => Value[],
  ): Promise<BadLine[]> {
    const rows = lines.map(one => [one.id, one.line, ...valuesOf(one)])
    if ((await this.connection.stage(table, rows)) === rows.length) return []
    const sql = `SELECT id, line FROM ${table.name} WHERE id IN ${this.connection.dialect.idsIn}`
    const staged = await this.query<{ id: bigint; line: bigint }>(sql, [formatIds(lines.map(({ id }) => id))])
    const lineOf = new Map(staged.map(({ id, line }) => [id, Number(line)]))
    return lines.flatMap(({ id, line }) => {
      const first = lineOf.get(id) ?? line
      return first === line ? [] : [{ line, reason: idTwice(id, first) }]
    })
  }

  /** Of the new categories, those of the animals that are written. @param written selects the categories of these */
  protected async labelled(
    { newCategories = [] }: CommitOptions,
    written: string,
    values: readonly unknown[] = [],
  ): Promise<Category[]> {
    if (newCategories.length === 0) return []
    const sql = `SELECT value AS id FROM ${this.connection.dialect.idsIn} AS given WHERE value IN (${written})`
    const rows = await this.query<{ id: bigint }>(sql, [formatIds(newCategories.map(({ id }) => id)), ...values])
    const ids = new Set(rows.map(({ id }) => id))
    return newCategories.filter(({ id }) => ids.has(id))
  }

  /** Takes the last step, and commits it. If it fails, it is rolled back. */
  protected end<Result>(step: () => Promise<Result>): Promise<Result> {
    return orUnavailable('written', async () => {
      try {
        const result = await step()
        await this.connection.commit()
        return result
      } finally {
        await this.connection.close()
      }
    })
  }
}
