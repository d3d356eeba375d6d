import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PROGRAM, type TestStore } from '../command-line.ts'

/** The output of a command on a terminal, and its exit code. */
export interface TerminalEnding {
  code: number
  /** Standard output and standard error. Lines end in CR LF. */
  shown: string
}

interface Options {
  columns?: number
  /** The input to type once the command asks a question. */
  answer?: string
  /** What happens while the question is open. */
  meanwhile?(): Promise<unknown>
  /** How the question ends. */
  question?: string
}

/** Runs a command line of a shell word by word, such as `account list`, on a terminal, which `script` provides. */
export async function runOnTerminal(
  { env }: TestStore,
  command: string,
  { columns = 80, answer, meanwhile, question = '[y/N] ' }: Options = {},
): Promise<TerminalEnding> {
  const line = `stty cols ${columns}; '${process.execPath}' '${PROGRAM}' ${command}`
  const settings = { PATH: process.env.PATH, TERM: 'xterm-256color', ...env }
  const child = spawn('script', ['-qec', line, '/dev/null'], { env: settings, timeout: 60_000 })
  let shown = ''
  let isAnswered = false
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
    if (answer === undefined || isAnswered || !shown.includes(question)) return
    isAnswered = true
    Promise.resolve(meanwhile?.()).finally(() => child.stdin.write(answer))
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code: code ?? -1, shown }
}
