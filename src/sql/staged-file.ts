import type { KnownCategories } from '../domain/pet-transfer.ts'
import { MAX_NEW_CATEGORY } from '../domain/pet-transfer.ts'
import { highestCategory } from './categories.ts'
import { orUnavailable, readLabels, type TransferConnection } from './transfer-connection.ts'

/** What imports, corrections and syncs have in common: their lines are staged on a connection that is closed at the end. */
export abstract class StagedFile {
  protected readonly connection: TransferConnection

  constructor(connection: TransferConnection) {
    this.connection = connection
  }

  readCategories(withHighest: boolean): Promise<KnownCategories> {
    return orUnavailable('read', async () => {
      const labels = await readLabels(this.connection)
      if (!withHighest) return { labels, highest: 0n }
      const { sql, values } = highestCategory(MAX_NEW_CATEGORY)
      const [row] = await this.query<{ highest: bigint | null }>(sql, values)
      return { labels, highest: row?.highest ?? 0n }
    })
  }

  discard(): Promise<void> {
    return this.connection.close()
  }

  protected query<Found>(sql: string, values: readonly unknown[] = []): Promise<Found[]> {
    return this.connection.query<Found>(sql, values)
  }

  /** Takes the last step. What it has not committed is rolled back. */
  protected end<Result>(step: () => Promise<Result>): Promise<Result> {
    return orUnavailable('written', async () => {
      try {
        return await step()
      } finally {
        await this.connection.close()
      }
    })
  }
}
