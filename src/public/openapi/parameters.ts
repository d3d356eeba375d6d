import type { Json } from '../../http/openapi/references.ts'
import { ListQuery } from '../../http/schemas.ts'
import { EXAMPLE_ETAG, EXAMPLE_REQUEST_ID } from './examples.ts'
import { describe } from './schemas.ts'

/**
 * Every parameter of an operation, by the name it is referred to. Named examples belong to the examples of the same name in answers. A
 * cursor, which a store signs, and an Idempotency-Key, which is new for each animal, have none: tools would send them, and be refused.
 */
export const PARAMETERS = {
  limit: fromQuery('limit', { examples: { firstTwo: { value: 2 }, sold: { value: 2 } } }),
  status: fromQuery('status', { examples: { sold: { value: 'sold' } } }),
  cursor: fromQuery('cursor'),
  petId: {
    name: 'petId',
    in: 'path',
    required: true,
    description: 'Identifier of the animal to retrieve. Anything that is not a decimal int64 matches no animal: 404.',
    schema: { type: 'integer', format: 'int64' },
    examples: { rex: { value: 1 }, pet_not_found: { value: 4711 } },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes it safe to send this creation again: 1 to 255 visible ASCII characters, new for each new animal, such as a UUID.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of an earlier answer: while it still holds, the answer is 304 without a body.',
    schema: { type: 'string' },
    example: EXAMPLE_ETAG,
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'An id of your own for this call: 1 to 128 letters, digits or any of `. _ ~ : / + = @ -`. Another is replaced by a new id.',
    schema: { type: 'string' },
    example: EXAMPLE_REQUEST_ID,
  },
}

function fromQuery(name: keyof typeof ListQuery.properties, examples: Json = {}): Json {
  const { description, ...schema } = describe(ListQuery.properties[name])
  return { name, in: 'query', description, schema, ...examples }
}
