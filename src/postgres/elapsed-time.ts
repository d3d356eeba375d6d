/** A moment, on both clocks of this machine. */
export interface Moment {
  steady: number
  wall: number
}

export function currentMoment(): Moment {
  return { steady: performance.now(), wall: Date.now() }
}

/** At least the milliseconds since then: the steady clock stands still while the machine is suspended, and the other one may be set. */
export function elapsedSince({ steady, wall }: Moment): number {
  return Math.max(performance.now() - steady, Math.abs(Date.now() - wall))
}
