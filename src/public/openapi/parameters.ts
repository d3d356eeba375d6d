import type { Json } from '../../http/openapi/references.ts'
import { ListQuery } from '../../http/schemas.ts'
import { EXAMPLE_CURSOR, EXAMPLE_ETAG, EXAMPLE_REQUEST_ID } from './examples.ts'
import { describe } from './schemas.ts'

/** Every parameter of an operation, by the name it is referred to. */
export const PARAMETERS = {
  limit: fromQuery('limit', 20),
  status: fromQuery('status', 'available'),
  cursor: fromQuery('cursor', EXAMPLE_CURSOR),
  petId: {
    name: 'petId',
    in: 'path',
    required: true,
    description: 'Identifier of the animal to retrieve. What is no decimal int64 is the id of no animal: 404.',
    schema: { type: 'integer', format: 'int64' },
    example: 42,
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes it safe to send this creation again: 1 to 255 visible ASCII characters, new for each new animal.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
    example: '5f0c1b1e-8a3f-4c39-9d0e-2f1f6f6d7a10',
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

function fromQuery(name: keyof typeof ListQuery.properties, example: unknown): Json {
  const { description, ...schema } = describe(ListQuery.properties[name])
  return { name, in: 'query', description, schema, example }
}
