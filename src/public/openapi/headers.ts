import type { Json } from '../../http/openapi/references.ts'
import { deprecationHeaders } from '../deprecation.ts'
import { EXAMPLE_ETAG, EXAMPLE_REQUEST_ID } from './examples.ts'

/** Every header of an answer. Those that stand in every answer they are listed for are `required`. */
export function buildHeaders(baseUrl: string): Json {
  const [, deprecation, , sunset, , deprecationLink] = deprecationHeaders(baseUrl)
  const integer = { type: 'integer', format: 'int64' }
  const text = { type: 'string' }
  const always = { required: true }
  return {
    'X-RateLimit-Limit': {
      ...always,
      description: 'The limit in force for the caller, of the window with the fewest calls remaining.',
      schema: { ...integer, minimum: 1 },
      example: 60,
    },
    'X-RateLimit-Remaining': {
      ...always,
      description: 'Calls remaining in that window.',
      schema: { ...integer, minimum: 0 },
      example: 59,
    },
    'X-RateLimit-Reset': {
      ...always,
      description: 'Unix time in seconds at which that window resets.',
      schema: { ...integer, minimum: 1 },
      example: 1_767_225_660,
    },
    'RateLimit-Policy': {
      ...always,
      description: 'Every window that counts the call: its quota `q` and its length in seconds `w`.',
      schema: text,
      example: '"minute";q=60;w=60, "day";q=1000;w=86400',
    },
    RateLimit: {
      ...always,
      description: 'Every window that counts the call: calls remaining `r` and seconds to its reset `t`.',
      schema: text,
      example: '"minute";r=59;t=60, "day";r=999;t=43200',
    },
    'X-Request-Id': {
      ...always,
      description: 'The id of this call: the one that was sent if it is well-formed, else a new one.',
      schema: text,
      example: EXAMPLE_REQUEST_ID,
    },
    'X-Content-Type-Options': {
      ...always,
      description: 'Tells browsers to take the answer for what its `Content-Type` says.',
      schema: { type: 'string', enum: ['nosniff'] },
      example: 'nosniff',
    },
    ETag: {
      ...always,
      description: 'Strong validator of this answer, for `If-None-Match`.',
      schema: text,
      example: EXAMPLE_ETAG,
    },
    'Cache-Control': {
      ...always,
      description: 'The answer is for the caller alone, and is to be revalidated before it is used again.',
      schema: text,
      example: 'private, no-cache',
    },
    PageLink: {
      ...always,
      description:
        'Where the next page (`rel="next"`, absent on the last one) and the first page (`rel="first"`) are; `CURSOR` in the example is a placeholder.',
      schema: text,
      example: `<${baseUrl}/pets?limit=20&cursor=CURSOR>; rel="next", <${baseUrl}/pets?limit=20>; rel="first"`,
    },
    Location: {
      ...always,
      description: 'Where the new animal is.',
      schema: { type: 'string', format: 'uri' },
      example: `${baseUrl}/pets/73`,
    },
    'Idempotency-Replayed': {
      description: 'Present when this is the first answer once more: no second animal was made.',
      schema: { type: 'string', enum: ['true'] },
      example: 'true',
    },
    'Retry-After': {
      ...always,
      description: 'Seconds to wait before the next call.',
      schema: { ...integer, minimum: 1 },
      example: 17,
    },
    'WWW-Authenticate': {
      ...always,
      description: 'The scheme that is wanted; with `error="invalid_token"` when a key was sent.',
      schema: text,
      example: 'Bearer error="invalid_token"',
    },
    Deprecation: {
      ...always,
      description: 'Since when the operation is deprecated, in Unix time (RFC 9745).',
      schema: text,
      example: deprecation,
    },
    Sunset: {
      ...always,
      description: 'From when on the operation is gone (RFC 8594).',
      schema: text,
      example: sunset,
    },
    DeprecationLink: {
      ...always,
      description: 'Where to read on (`rel="deprecation"`) and what to use instead (`rel="successor-version"`).',
      schema: text,
      example: deprecationLink,
    },
  }
}
