import manifest from '../../package.json' with { type: 'json' }
import { listMigrations } from '../sqlite/format.ts'
import type { Holdings } from '../sqlite/inspect.ts'
import type { Finding } from './finding.ts'

/** What runs here, and whether the store has yet to be brought to it. */
export function checkVersions(holdings: Holdings | undefined): Finding {
  const newest = listMigrations().length
  const { node, sqlite } = process.versions
  const versions = `Petstore ${manifest.version}, Node ${node}, SQLite ${sqlite}, store version ${newest}`
  if (holdings === undefined || holdings.version === newest) {
    return { check: 'versions', outcome: 'ok', message: `${versions}.` }
  }
  return {
    check: 'versions',
    outcome: 'warn',
    message: `${versions}; the store is still of version ${holdings.version}: back it up before this program opens it.`,
  }
}
