import { formatCursor } from '../../domain/cursor.ts'
import { PUBLIC_ERRORS, type PublicErrorCode } from '../../domain/errors.ts'
import type { Json } from '../../http/openapi/references.ts'
import { REFUSAL_TEXTS } from './refusal-texts.ts'

export const EXAMPLE_CURSOR = formatCursor({ status: undefined, afterId: 20n }, new Uint8Array(32))
export const EXAMPLE_ETAG = '"Zd4K3mPq0s7uV9xYb2Ne5Rf8Th1"'
export const EXAMPLE_REQUEST_ID = 'checkout-7f3a-0001'

const REX = { id: 42, name: 'Rex', categoryId: 7, status: 'available' }
const MIMI = { id: 43, name: 'Mimì', categoryId: 9, status: 'sold' }

/** Bodies of requests and answers, by the names they are referred to. */
export const PET_EXAMPLES = {
  pet: { summary: 'An animal', value: REX },
  soldPet: { summary: 'An animal that is sold', value: MIMI },
  pets: { summary: 'Two animals', value: [REX, MIMI] },
  noPets: { summary: 'No animals', value: [] },
  newPet: { summary: 'An animal that is available', value: { name: 'Rex', categoryId: 7 } },
  newSoldPet: { summary: 'An animal with a status', value: { name: 'Mimì', categoryId: 9, status: 'sold' } },
}

/** The body of a refusal with this code. */
export function refusalExample(code: PublicErrorCode): Json {
  const { when, message } = REFUSAL_TEXTS[code]
  return { summary: when, value: { code, message, status: PUBLIC_ERRORS[code] } }
}
