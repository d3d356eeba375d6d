import { fileURLToPath } from 'node:url'

/** The program that replicates SQLite databases. There is none for Windows. */
export const LITESTREAM = fileURLToPath(
  new URL(`node_modules/@flydotio/litestream-${process.platform}-${process.arch}/litestream`, import.meta.url),
)
