/** Runs tasks in order of arrival, with limited concurrency per key, such as an address. */
export class KeyedQueue {
  readonly #queues = new Map<string, Queue>()

  /**
   * If a task fails, those queued behind it fail too: sequential timeouts would take too long.
   * @param room how many tasks of this key may run concurrently, evaluated again whenever one ends; always at least one
   */
  async run<Result>(key: string, room: () => number, task: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.getOrInsert(key, { running: 0, waiting: [] })
    await new Promise<void>((begin, fail) => {
      queue.waiting.push({ room, begin, fail })
      beginNext(queue)
    })
    try {
      return await task()
    } catch (error) {
      for (const { fail } of queue.waiting.splice(0)) fail(error)
      throw error
    } finally {
      queue.running -= 1
      beginNext(queue)
      if (queue.running === 0) this.#queues.delete(key)
    }
  }
}

interface Queue {
  running: number
  readonly waiting: { room(): number; begin(): void; fail(error: unknown): void }[]
}

function beginNext(queue: Queue): void {
  for (let [next] = queue.waiting; next && queue.running < Math.max(1, next.room()); [next] = queue.waiting) {
    queue.waiting.shift()
    queue.running += 1
    next.begin()
  }
}
