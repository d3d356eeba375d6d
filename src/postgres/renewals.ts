/** An instance acts on what it knows for less than this after its last renewal; so after this time, others need not wait for it. */
export const LEASE_MS = 3_000

/** How often each instance has renewed its lease, by its id. */
export type RenewalCounts = Readonly<Record<string, number>>

/** Finds out which instances no longer renew their leases, from several readings. */
export class Renewals {
  readonly #known = new Map<string, { renewals: number; sinceMs: number }>()

  /** @returns the instances that have not renewed their leases for so long that they serve nothing, with the counts that show it */
  findSilent(counts: RenewalCounts): [id: string, renewals: number][] {
    const now = performance.now()
    for (const id of this.#known.keys()) if (!(id in counts)) this.#known.delete(id)
    return Object.entries(counts).filter(([id, renewals]) => {
      const known = this.#known.get(id)
      if (known?.renewals === renewals) return now - known.sinceMs > LEASE_MS
      this.#known.set(id, { renewals, sinceMs: now })
      return false
    })
  }
}

/** Deletes the row of a silent instance, unless it has renewed its lease meanwhile. It registers again before it serves again. */
export const DELETE_SILENT = 'DELETE FROM instance WHERE id = $1 AND renewals = $2'
