/** A terminal that is closed, or an ssh connection that breaks, sends SIGHUP. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs work that cleans up after itself when it is interrupted. The process then ends with the same signal, so that a shell script does
 * not continue with its next command.
 * @param stopped the message to print if interrupted
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
