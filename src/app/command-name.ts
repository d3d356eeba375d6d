import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { shellWord } from '../domain/shell-quote.ts'

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))

/** The command that runs this program, for messages. When pasted, it must not reach the store of another deployment. */
export const COMMAND = commandOf(process.env, process.cwd())

/** The name under which shells complete this program, regardless of its folder. */
export const COMPLETED_NAME = completedNameOf(process.env)

/** Installations and `./petstore` set PETSTORE_COMMAND. If it is unset, npm may have started the program. */
export function commandOf(env: NodeJS.ProcessEnv, folder: string): string {
  const { PETSTORE_COMMAND, npm_lifecycle_event, INIT_CWD = folder } = env
  if (PETSTORE_COMMAND) return shellWord(PETSTORE_COMMAND)
  if (npm_lifecycle_event !== 'npx' && npm_lifecycle_event !== 'start') return 'petstore'
  const path = relative(INIT_CWD, `${CHECKOUT}petstore`)
  return shellWord(path.includes(sep) ? path : `.${sep}${path}`)
}

/** Returns `petstore` if a script would have to quote the actual name. */
export function completedNameOf({ PETSTORE_COMMAND = '' }: NodeJS.ProcessEnv): string {
  const [name = ''] = PETSTORE_COMMAND.split(/[/\\]/).slice(-1)
  return /^\w[\w.-]*$/.test(name) ? name : 'petstore'
}
