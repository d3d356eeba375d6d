/** What a person types to run this program. What is pasted from a message must not reach the store of another deployment. */
export const COMMAND = commandOf(process.env)

/** An installation says what its command is called; without one the program is run by npm. */
export function commandOf({ PETSTORE_COMMAND, npm_lifecycle_event }: NodeJS.ProcessEnv): string {
  if (PETSTORE_COMMAND) return PETSTORE_COMMAND
  return npm_lifecycle_event === 'npx' || npm_lifecycle_event === 'start' ? 'npx petstore' : 'petstore'
}
