import type { Pet } from '../domain/pet.ts'
import { MAX_PETS_CHANGED, type PetFilter, type PetPreview, previewOf } from '../domain/pet-selection.ts'
import type { PetPage, PetSearch } from '../domain/store/animals.ts'
import type { Dialect } from './dialect.ts'
import { whereSelected } from './pet-filter.ts'
import { directionOf, readInParts } from './pet-index.ts'
import { pageOf, petOf } from './pets.ts'
import { all, type Condition, type Query, type Row } from './statement.ts'
import { type Read, read } from './write.ts'

export function* petsFound(search: PetSearch, dialect: Dialect): Read<PetPage> {
  return pageOf(yield* selectRows({ ...search, limit: search.limit + 1 }, dialect), search)
}

export function* petPreview(filter: PetFilter, dialect: Dialect): Read<PetPreview> {
  return previewOf(yield* selectedPets(filter, dialect), filter)
}

/** Selected animals in ascending order of id: at most one more than can be changed. */
export function* selectedPets(filter: PetFilter, dialect: Dialect): Read<Pet[]> {
  return (yield* selectRows({ ...filter, limit: MAX_PETS_CHANGED + 1 }, dialect)).map(petOf)
}

/** The rows of the first selected animals. */
function* selectRows(search: PetSearch, dialect: Dialect): Read<Row[]> {
  const rows: Row[] = []
  yield* readInParts(search, dialect, function* (part, conditions) {
    const limit = search.limit - rows.length
    if (limit === 0) return 0
    const found = yield* read(selection({ ...part, limit }, dialect, conditions))
    rows.push(...found)
    return found.length
  })
  return rows
}

function selection(search: PetSearch, dialect: Dialect, conditions: readonly Condition[]): Query<Row[]> {
  const { sql, values } = whereSelected(search, dialect, ...conditions)
  const select = `${dialect.selectPet} ${sql} ORDER BY id ${directionOf(search.order)} LIMIT ?`
  return all(select, [...values, search.limit], row => row)
}
