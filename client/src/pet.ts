import { parseInt64 } from './int64.ts'
import { member } from './json.ts'
import type { Pet, PetStatus } from './openapi.ts'

/**
 * Parses a pet from JSON whose numbers are strings; undefined for anything else. `JSON.stringify(pet)` returns the service's JSON again.
 * Otherwise, a pet is a plain object: its `toJSON` is not enumerable, and so is neither copied nor compared.
 */
export function parsePet(value: unknown): Pet | undefined {
  const id = parseInt64(member(value, 'id'))
  const name = member(value, 'name')
  const categoryId = parseInt64(member(value, 'categoryId'))
  const status = member(value, 'status')
  if (id === undefined || typeof name !== 'string' || categoryId === undefined || typeof status !== 'string') {
    return undefined
  }
  const pet: Pet = { id, name, categoryId, status: status as PetStatus }
  return Object.defineProperty(pet, 'toJSON', { value: petToJson })
}

function petToJson(this: Pet): unknown {
  return { ...this, id: int64ToJson(this.id), categoryId: int64ToJson(this.categoryId) }
}

/** A value that `JSON.stringify` writes digit for digit. Where it can only write doubles, an integer that would be rounded becomes a string. */
function int64ToJson(value: bigint): unknown {
  if (rawJSON) return rawJSON(String(value))
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
}

/** Since Node 21, Chrome 114, Firefox 135 and Safari 18.4. */
const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown }
