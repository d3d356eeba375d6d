import manifest from '../../package.json' with { type: 'json' }
import type { Finding } from './finding.ts'

/** What a store needs to be known of to tell whether this program has yet to change its tables. */
interface Versions {
  /** What keeps the store, such as "SQLite 3.50.4". */
  engine: string
  /** To which this program brings a store. */
  newest: number
  /** That the store has; undefined where there is none. */
  own: number | undefined
}

/** What runs here, and whether the store has yet to be brought to it. */
export function checkVersions({ engine, newest, own }: Versions): Finding {
  const versions = `Petstore ${manifest.version}, Node ${process.versions.node}, ${engine}, store version ${newest}`
  if (own === undefined || own === newest) return { check: 'versions', outcome: 'ok', message: `${versions}.` }
  return {
    check: 'versions',
    outcome: 'warn',
    message: `${versions}; the store is still of version ${own}: back it up before this program opens it.`,
  }
}
