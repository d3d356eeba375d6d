/** The command that runs this program. A command pasted from a message must not reach the store of another deployment. */
export const COMMAND = commandOf(process.env)

/** An installation sets the name of its command; without one, npm runs the program. */
export function commandOf({ PETSTORE_COMMAND, npm_lifecycle_event }: NodeJS.ProcessEnv): string {
  if (PETSTORE_COMMAND) return PETSTORE_COMMAND
  return npm_lifecycle_event === 'npx' || npm_lifecycle_event === 'start' ? 'npx petstore' : 'petstore'
}
