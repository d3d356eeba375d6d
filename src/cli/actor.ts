import { userInfo } from 'node:os'
import { type Actor, COMMAND_LINE } from '../domain/audit.ts'

/** Who types the command, as the operating system knows them. */
export function commandLineActor(env: NodeJS.ProcessEnv): Actor {
  const user = findUser()
  return { name: env.SUDO_USER ? `${user} (sudo by ${env.SUDO_USER})` : user, origin: COMMAND_LINE }
}

/** A container may run as a number that has no name. */
function findUser(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}
