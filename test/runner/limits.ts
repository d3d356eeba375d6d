import { ROUNDS } from '../support/duration-factor.ts'

/** `PETSTORE_TEST_LIMITS=3` makes the time limits of a run three times as long, for a slow machine. */
const FACTOR = ROUNDS * Number(process.env.PETSTORE_TEST_LIMITS ?? 1)

/** For each test that sets no limit of its own, and for each hook: only what hangs reaches it, also on a busy machine. */
export const TEST_LIMIT_MS = 240_000 * FACTOR
/** For loading a file: its imports, and what it awaits at its top level. */
export const LOAD_LIMIT_MS = 240_000 * FACTOR
/** For a process to end after its last test: for the `after` hooks of all files, and for connections that end on their own. */
export const END_LIMIT_MS = 120_000 * FACTOR
/** For a process to end a test, and then the next one: longer than any test of `npm test`, or of `npm run test:servers`. */
export const SILENCE_LIMIT_MS = 1_200_000 * FACTOR
export const SILENCE_LIMIT_WITH_SERVERS_MS = 2_400_000 * FACTOR
