const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Does work that clears up behind itself when it is told to stop. Then the process ends by that very signal, so that a shell knows that
 * it must not go on with the next command.
 * @param stopped what the person reads who stopped it
 */
export async function untilInterrupted<Result>(
  stopped: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController()
  const onSignal = (signal: NodeJS.Signals) => stop.abort(signal)
  const listen = (change: 'on' | 'off') => {
    for (const name of SIGNALS) process[change](name, onSignal)
  }
  listen('on')
  try {
    return await work(stop.signal)
  } catch (error) {
    if (!stop.signal.aborted) throw error
    listen('off')
    process.stderr.write(`${stopped}\n`)
    process.kill(process.pid, stop.signal.reason)
    throw error
  } finally {
    listen('off')
  }
}
