import { PUBLIC_ERRORS, type PublicErrorCode } from '../../domain/errors.ts'
import type { Json } from '../../http/openapi/references.ts'
import { REFUSAL_TEXTS } from './refusal-texts.ts'

export const EXAMPLE_ETAG = '"Zd4K3mPq0s7uV9xYb2Ne5Rf8Th1"'
export const EXAMPLE_REQUEST_ID = 'checkout-7f3a-0001'

/** Animals of the demonstration data (cli/demo-pets.ts), so that the examples work on it as they are. */
const REX = { id: 1, name: 'Rex', categoryId: 1, status: 'available' }
const BELLA = { id: 2, name: 'Bella', categoryId: 1, status: 'available' }
const WALDI = { id: 5, name: 'Waldi', categoryId: 1, status: 'sold' }
const DAISY = { id: 10, name: 'Daisy', categoryId: 1, status: 'sold' }

const BRUNO = { name: 'Bruno', categoryId: 1 }
const MIMI = { name: 'Mimì', categoryId: 2, status: 'sold' }

/**
 * Bodies of requests and answers, by the names of their components. Where they are used, an answer has the name of its request, which
 * is how tools know that they belong together.
 */
export const PET_EXAMPLES = {
  firstTwo: { summary: 'The first two animals', value: [REX, BELLA] },
  sold: { summary: 'Two animals that are sold', value: [WALDI, DAISY] },
  rex: { summary: 'An animal', value: REX },
  newPet: { summary: 'An animal that is available', value: BRUNO },
  newSoldPet: { summary: 'An animal with a status', value: MIMI },
  addedPet: { summary: 'An animal that is available', value: { id: 73, ...BRUNO, status: 'available' } },
  addedSoldPet: { summary: 'An animal with a status', value: { id: 74, ...MIMI } },
}

/** The body of a refusal with this code. */
export function refusalExample(code: PublicErrorCode): Json {
  const { when, message } = REFUSAL_TEXTS[code]
  return { summary: when, value: { code, message, status: PUBLIC_ERRORS[code] } }
}
