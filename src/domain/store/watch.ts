/** Called after every batch, with the number of its writes and the time from sending it until it was on disk. */
export type OnCommit = (writes: number, milliseconds: number) => void

/** What an instance learns about its lease, if its store is shared by instances. */
export interface LeaseWatch {
  /** The lease cannot be renewed, and the instance will soon serve nothing. Called once per loss, and once more if other instances conflict with it. */
  leaseLost(error: unknown): void
  leaseRestored(): void
  /** From now on, programs of earlier releases refuse the store. */
  upgradeFinished?(): void
}

/** What a service learns from its store. */
export interface StoreWatch extends LeaseWatch {
  committed: OnCommit
  /** This instance has changed something. Instances that hear of it and renew their leases let the change complete before their next renewal. */
  changed?(): void
}
