/** Runs tasks that belong to one name, such as an address, only so many at once, in the order in which they came. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>()

  /**
   * Where a task fails, those that wait behind it fail with it: one after the other, they would be waited for too long.
   * @param room how many of this name may run at once, asked again whenever one has ended. One always may.
   */
  async run<Result>(name: string, room: () => number, task: () => Promise<Result>): Promise<Result> {
    const lane = this.#lanes.get(name) ?? { running: 0, waiting: [] }
    this.#lanes.set(name, lane)
    await new Promise<void>((begin, fail) => {
      lane.waiting.push({ room, begin, fail })
      beginNext(lane)
    })
    try {
      return await task()
    } catch (error) {
      for (const { fail } of lane.waiting.splice(0)) fail(error)
      throw error
    } finally {
      lane.running -= 1
      beginNext(lane)
      if (lane.running === 0) this.#lanes.delete(name)
    }
  }
}

interface Lane {
  running: number
  readonly waiting: { room(): number; begin(): void; fail(error: unknown): void }[]
}

function beginNext(lane: Lane): void {
  for (let [next] = lane.waiting; next && lane.running < Math.max(1, next.room()); [next] = lane.waiting) {
    lane.waiting.shift()
    lane.running += 1
    next.begin()
  }
}
