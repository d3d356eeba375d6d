/**
 * As long as these numbers are the same, reads return the same results, so results may be cached until a number changes. A write by this
 * process shows immediately, a write by another process within a millisecond. If several instances share a store, a write that changes one
 * of these numbers ends only when no instance acts on the state before it; one that may have missed a change has no current state.
 */
export interface Revision {
  /** Changes with every account, key and ban. */
  callers: number
  /** Changes when an existing animal is changed or deleted. */
  corrections: number
  /** Increases with every creation. Undefined if other processes may create animals at any time: there may already be a newer one. */
  newestPetId: bigint | undefined
}

export interface CallerIds {
  accountId: bigint
  keyId: bigint
}

export interface Revisions {
  /**
   * The current state of the store. Cheap enough for every call.
   * @throws StoreUnavailable if changes by other instances may have been missed; so does `lastChangeOf`
   */
  revision(): Revision
  /** At which number of `callers` this caller may last have changed: one that was read then or later is the same. Cheap enough for every call. */
  lastChangeOf(caller: CallerIds): number
  /**
   * No other animal with an id up to this one will become visible. With a higher id, one may still appear before an animal that can be seen
   * already, if several instances create animals at the same time. 0 while it is unknown. Cheap enough for every call.
   */
  settledPetId(): bigint
}

/** The state of everything that operators see, as opaque strings. If they are equal, nothing has changed. */
export interface Versions {
  animals: string
  /** Includes keys, claim links and bans. */
  accounts: string
  /** Also changes with everything else that operators change. */
  audit: string
}
