/**
 * Which ids are settled: no other animal with an id up to the highest one can become visible (docs/decisions/0013-ids-from-a-sequence.md). An id is
 * drawn in a transaction that has begun. So a reading takes the last drawn id, and then a transaction id; once a later reading sees that all
 * transactions before that one have ended, all animals up to that id are visible or never will be.
 */
export class SettledIds {
  #highest = 0n
  #lastDrawn: bigint | undefined
  #transaction: string | undefined

  /** 0 while it is unknown. */
  get highest(): bigint {
    return this.#highest
  }

  /** The parameters of the next reading. */
  get parameters(): unknown[] {
    return [this.#lastDrawn, this.#transaction]
  }

  learn({ last_drawn, transaction, is_settled, settled }: IdsReading): void {
    if (is_settled === false) return
    // Less if the highest animals have been deleted.
    if (is_settled && settled > this.#highest) this.#highest = settled
    this.#lastDrawn = last_drawn
    this.#transaction = transaction
  }
}

export interface IdsReading {
  last_drawn: bigint
  transaction: string
  /** Null at the first reading. */
  is_settled: boolean | null
  settled: bigint
}

/** Read before the transaction of a reading gets its id. */
export const DRAWN = 'drawn AS MATERIALIZED (SELECT last_value FROM pet_id)'

/**
 * The columns of a reading, from `drawn`. The highest visible animal up to the last drawn id is safe in a failover, too, which may take back the last
 * moves of the sequence.
 */
export const IDS_READING = `pg_snapshot_xmin(pg_current_snapshot()) >= $2::xid8 AS is_settled,
    (SELECT coalesce(max(id), 0) FROM pet WHERE id <= $1::bigint) AS settled,
    last_value AS last_drawn, pg_current_xact_id()::text AS transaction`
