/** Part of a list in ascending order of id. */
export interface Page {
  afterId: bigint
  limit: number
}

/** The whole list. */
export const ALL: Page = { afterId: 0n, limit: Number.MAX_SAFE_INTEGER }
