import { Mistake } from '../domain/errors.ts'
import { formatError } from './explain.ts'

/**
 * Tells once of an output that cannot be written, and fails the command. Whoever reads it through a pipe may leave before its end:
 * that is told of nothing that can be had again.
 */
export function watchOutput(): void {
  let isTold = false
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || isTold) return
    isTold = true
    process.exitCode = 1
    process.stderr.write(formatError(`Standard output cannot be written (${code}).`))
  })
}

/**
 * Prints what is shown this once and never again.
 * @param unseen what a person must know if nobody has seen it
 * @throws Mistake, which says that
 */
export async function mustBeSeen(unseen: string, text: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  process.stdout.write(`${text}\n`, error => {
    if (error) reject(new Mistake('conflict', unseen))
    else resolve()
  })
  return promise
}
