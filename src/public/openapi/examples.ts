import { describeError, PUBLIC_ERRORS, type PublicErrorCode } from '../../schema/error-codes.ts'
import type { Json } from '../../schema/openapi/references.ts'

/** An example of a call: what is sent, and the names of its bodies in EXAMPLES. */
export interface Example {
  parameter?: number
  query?: Readonly<Record<string, unknown>>
  body?: keyof typeof EXAMPLES
  response?: keyof typeof EXAMPLES
}

/** Animals of the demonstration data (cli/demo-pets.ts), so that the examples work on it. */
const REX = { id: 1, name: 'Rex', categoryId: 1, status: 'available' }
const BELLA = { id: 2, name: 'Bella', categoryId: 1, status: 'available' }
const WALDI = { id: 5, name: 'Waldi', categoryId: 1, status: 'sold' }
const DAISY = { id: 10, name: 'Daisy', categoryId: 1, status: 'sold' }

const BRUNO = { name: 'Bruno', categoryId: 1 }
const MIMI = { name: 'Mimì', categoryId: 2, status: 'sold' }

/** Bodies of requests and responses, by the names of their components. */
export const EXAMPLES = {
  firstTwo: { summary: 'The first two animals', value: [REX, BELLA] },
  sold: { summary: 'Two sold animals', value: [WALDI, DAISY] },
  rex: { summary: 'An animal', value: REX },
  newPet: { summary: 'An animal that is available', value: BRUNO },
  newSoldPet: { summary: 'An animal with a status', value: MIMI },
  addedPet: { summary: 'An animal that is available', value: { id: 57, ...BRUNO, status: 'available' } },
  addedSoldPet: { summary: 'An animal with a status', value: { id: 58, ...MIMI } },
}

export function errorExample(code: PublicErrorCode): Json {
  const { when, message, example = message } = describeError(code)
  return { summary: when, value: { code, message: example, status: PUBLIC_ERRORS[code].status } }
}
