/**
 * Two equal numbers promise equal answers, so that answers may be kept until the number changes. A write of this process shows at
 * once, a write of another process within a millisecond. Where several instances share a store, a write that changes one of these
 * numbers ends only when all instances have seen the change.
 */
export interface Revision {
  /** Changes with every account, key and ban. */
  callers: number
  /** Changes when an existing animal is changed or deleted. */
  corrections: number
  /** Rises with every creation. Undefined where others may create animals at any time, so that there may already be a newer one. */
  newestPetId: bigint | undefined
}

export interface Revisions {
  /** The state of the store right now. Cheap enough to be asked on every call. */
  revision(): Revision
}

/** The state of what operators see, as texts without meaning. Equal texts promise that nothing has changed. */
export interface Versions {
  animals: string
  /** With keys, claim links and bans. */
  accounts: string
  /** Also changes with whatever else operators change. */
  audit: string
}
