import { spawn } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { PROGRAM, type TestStore } from '../command-line.ts'
import { until } from '../eventually.ts'

/** How to start an interactive shell without user settings, and its first commands. */
const SHELLS = {
  bash: { command: 'bash --norc -i', prompt: `PS1='REA''DY> '` },
  zsh: { command: 'zsh -f -i', prompt: `PS1='REA''DY> '; autoload -U compinit; compinit -u -D` },
  fish: { command: 'fish --no-config -i', prompt: `function fish_prompt; echo -n 'REA''DY> '; end` },
}

/** The characters at the end of the prompt. The line that sets the prompt does not contain them. */
const READY = 'READY> '

export interface Shell {
  /** Types a line, in which tabs complete, and returns the arguments that the program gets. */
  type(line: string): Promise<string[]>
}

/** Starts a shell on a terminal, in which `petstore` completes commands on a store but only prints the arguments that it gets. */
export async function startShell(
  t: TestContext,
  name: keyof typeof SHELLS,
  { folder, env }: TestStore,
  setUp: string,
): Promise<Shell> {
  const program = join(folder, 'petstore')
  const node = `exec '${process.execPath}' '${PROGRAM}' "$@"`
  await writeFile(
    program,
    `#!/bin/sh\ncase $1 in __complete | completion) ${node} ;; esac\nprintf 'RAN'; printf '<%s>' "$@"; echo\n`,
  )
  await chmod(program, 0o755)
  const { command, prompt } = SHELLS[name]
  const settings = { ...env, HOME: folder, PATH: `${folder}:${process.env.PATH}`, TERM: 'xterm', LC_ALL: 'C.UTF-8' }
  const child = spawn('script', ['-qec', `stty cols 300; ${command}`, '/dev/null'], { env: settings, cwd: folder })
  t.after(() => child.kill('SIGKILL'))
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    shown += text
  })
  const run = async (line: string, isDone: () => boolean) => {
    shown = ''
    child.stdin.write(`${line}\r`)
    await until(isDone)
  }
  await run(`${prompt}; ${setUp}`, () => shown.includes(READY))
  return {
    async type(line) {
      await run(line, () => /RAN(?:<[^>\n]*>)*\r?\n[\s\S]*READY> /.test(shown))
      const [, words = ''] = /RAN((?:<[^>\n]*>)*)\r?\n/.exec(shown) ?? []
      return [...words.matchAll(/<([^>]*)>/g)].map(([, word = '']) => word)
    },
  }
}
