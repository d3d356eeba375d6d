/** The outcome of work that may be given up: once the signal is aborted, rejects with its reason. */
export function orAborted<Value>(work: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason)
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', abort))
  })
}

/** Yields what a stream has. Once the signal is aborted, rejects with its reason and no longer waits for the sender. */
export async function* untilAborted<Chunk>(chunks: AsyncIterable<Chunk>, signal: AbortSignal): AsyncGenerator<Chunk> {
  const iterator = chunks[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { value, done } = await orAborted(iterator.next(), signal)
      if (done) return
      yield value
    }
  } finally {
    // It may still wait, so this may never resolve.
    iterator.return?.().catch(() => {})
  }
}
