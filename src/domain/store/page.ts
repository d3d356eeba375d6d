/** A part of a list that is ordered by ascending id. */
export interface Page {
  afterId: bigint
  limit: number
}

/** The whole list. */
export const ALL: Page = { afterId: 0n, limit: Number.MAX_SAFE_INTEGER }
