/** Runs tasks that belong to one name, such as an address, only so many at once, in the order in which they came. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>()

  /**
   * @param room how many of this name may run at once, asked again whenever one has ended. One always may.
   */
  async run<Result>(name: string, room: () => number, task: () => Promise<Result> | Result): Promise<Result> {
    const lane = this.#lanes.get(name) ?? { running: 0, waiting: [] }
    this.#lanes.set(name, lane)
    await new Promise<void>(begin => {
      lane.waiting.push({ room, begin })
      beginNext(lane)
    })
    try {
      return await task()
    } finally {
      lane.running -= 1
      beginNext(lane)
      if (lane.running === 0) this.#lanes.delete(name)
    }
  }
}

interface Lane {
  running: number
  readonly waiting: { room(): number; begin(): void }[]
}

function beginNext(lane: Lane): void {
  for (let [next] = lane.waiting; next && lane.running < Math.max(1, next.room()); [next] = lane.waiting) {
    lane.waiting.shift()
    lane.running += 1
    next.begin()
  }
}
