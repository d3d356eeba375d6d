import { Writable } from 'node:stream'
import { conflict } from '../domain/errors.ts'
import { plainLine } from './output/text.ts'

export interface YesOption {
  yes?: true
}

export const YES: [flags: string, description: string] = ['--yes', 'do not ask for confirmation']

/**
 * Asks before something that cannot be undone. Any answer other than y or yes means no. Asks only at a terminal, so scripts are never
 * held up.
 * @param ask returns the question, or undefined if there is nothing to ask; called only at a terminal
 * @throws UserError when the answer is no
 * @throws Interrupted on Ctrl-C
 */
export async function confirm(yes: true | undefined, ask: () => Promise<string | undefined>): Promise<void> {
  if (yes || !canAsk()) return
  const question = await ask()
  if (question === undefined) return
  const answer = await askFor(`${plainLine(question)} [y/N] `)
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw conflict('Not confirmed: nothing was changed.')
}

/** Whether a person can read the question and answer it. The question goes to standard error, so that the output stays clean. */
export function canAsk(): boolean {
  return Boolean(process.stdin.isTTY && process.stderr.isTTY)
}

/** Ctrl-C was pressed at a question. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/**
 * Asks a question at a terminal.
 * @param isSecret whether the answer is not shown
 * @returns the answer; empty if the input has ended
 * @throws Interrupted on Ctrl-C
 */
export async function askFor(question: string, { isSecret = false } = {}): Promise<string> {
  // Loaded late, because few commands ask.
  const { createInterface } = await import('node:readline')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  // The cursor is still on the line of the question.
  const endLine = () => process.stderr.write('\n')
  const onInterrupt = () => {
    endLine()
    reject(new Interrupted('Interrupted: nothing was changed.'))
  }
  process.once('SIGINT', onInterrupt)
  // The terminal itself handles line editing and shows the answer, unless that is a secret: then nothing is written to it.
  const output = isSecret ? new Writable({ write: (_chunk, _encoding, done) => done() }) : undefined
  const lines = createInterface({ input: process.stdin, output, terminal: isSecret, historySize: 0 })
  lines.once('SIGINT', onInterrupt)
  const onEnd = () => {
    endLine()
    resolve('')
  }
  // Ctrl-D, or the terminal was closed.
  lines.once('close', onEnd)
  lines.once('line', line => {
    if (isSecret) endLine()
    resolve(line)
  })
  process.stderr.write(question)
  try {
    return await promise
  } finally {
    process.off('SIGINT', onInterrupt)
    lines.off('close', onEnd).close()
  }
}
