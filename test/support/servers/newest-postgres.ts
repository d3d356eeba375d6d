import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { NEWEST_POSTGRES } from '../../../tools/postgres.ts'
import type { Programs } from './postgres.ts'

/** Why the newest PostgreSQL cannot run here; undefined if it can. */
export const noNewestPostgres = existsSync(NEWEST_POSTGRES)
  ? undefined
  : `npm has no PostgreSQL for ${process.platform} on ${process.arch}`

/** Copies its programs, because the user of the server may be unable to read them where they are. */
export const newestPostgres: Programs = folder => {
  const place = join(folder, 'programs')
  cpSync(NEWEST_POSTGRES, place, { recursive: true })
  // Packages cannot contain links. Their paths begin with the name of the copied folder.
  const links = JSON.parse(readFileSync(join(place, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    const to = join(place, target.replace(/^native\//, ''))
    if (!existsSync(to)) symlinkSync(join(dirname(to), basename(source)), to)
  }
  return name => join(place, 'bin', name)
}
