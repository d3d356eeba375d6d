/** Part of a list in ascending order of id. */
export interface Page {
  afterId: bigint
  limit: number
}

/** Part of a list that begins with the newest. */
export interface NewestPage {
  /** Only those older than this one. */
  beforeId?: bigint | undefined
  limit: number
}

/** The whole list. */
export const ALL: Page = { afterId: 0n, limit: Number.MAX_SAFE_INTEGER }
