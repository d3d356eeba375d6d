import type { Versions } from '../domain/store/revision.ts'
import { COUNT, INTEGER, rowReader } from './row-reader.ts'
import { only, type Query } from './statement.ts'

/** With concurrent commits, an entry may appear after one with a higher id. So the version includes how many of the last 100 ids exist. */
const COUNTED_ENTRIES = 100

const SELECT = `SELECT callers, corrections, coalesce((SELECT max(id) FROM pet), 0) AS newest_pet,
    coalesce((SELECT max(id) FROM audit), 0) AS newest_entry,
    (SELECT count(*) FROM audit WHERE id > (SELECT max(id) FROM audit) - ${COUNTED_ENTRIES}) AS entries
  FROM revision`

const readNumbers = rowReader('the versions', {
  callers: COUNT,
  corrections: COUNT,
  newestPet: INTEGER,
  newestEntry: COUNT,
  entries: COUNT,
})

export function currentVersions(): Query<Versions> {
  return only('revision', SELECT, row => {
    const { callers, corrections, newestPet, newestEntry, entries } = readNumbers(row)
    return {
      animals: `${newestPet}.${corrections}`,
      accounts: String(callers),
      audit: `${newestEntry}.${entries}`,
    }
  })
}
