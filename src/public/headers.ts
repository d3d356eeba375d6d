import type { Json } from '../schema/openapi/references.ts'
import { deprecationHeaders } from './deprecation.ts'

const EXAMPLE_ETAG = '"Zd4K3mPq0s7uV9xYb2Ne5Rf8Th1"'
const EXAMPLE_REQUEST_ID = 'checkout-7f3a-0001'

/**
 * Request headers, by the names of their components in the OpenAPI document. Idempotency-Key has no example: it must be new for each animal,
 * so tools that send the example would be refused.
 */
export const REQUEST_HEADERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes it safe to retry this request. 1 to 255 visible ASCII characters, such as a UUID; use a new key for each new animal.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of an earlier response. If nothing has changed since, the response is 304 without a body.',
    schema: { type: 'string' },
    example: EXAMPLE_ETAG,
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'Your own id for this call: 1 to 128 letters, digits or any of `. _ ~ : / + = @ -`. An invalid id is replaced with a new one.',
    schema: { type: 'string' },
    example: EXAMPLE_REQUEST_ID,
  },
}

/** The headers of responses. A `required` one is in every response that lists it. */
export function responseHeaders(baseUrl: string) {
  const [, deprecation, , sunset, , deprecationLink] = deprecationHeaders(baseUrl)
  const integer = (minimum: number) => ({ type: 'integer', format: 'int64', minimum })
  const text = { type: 'string' }
  const always = (description: string, schema: Json, example: unknown) => ({
    required: true,
    description,
    schema,
    example,
  })
  return {
    'X-RateLimit-Limit': always(
      'The limit that applies to the caller, in the window with the fewest calls left.',
      integer(1),
      60,
    ),
    'X-RateLimit-Remaining': always('Calls left in that window.', integer(0), 59),
    'X-RateLimit-Reset': always('When that window resets, in Unix seconds.', integer(1), 1_767_225_660),
    'RateLimit-Policy': always(
      'Every window that counts the call: its quota `q` and its length in seconds `w`.',
      text,
      '"minute";q=60;w=60, "day";q=1000;w=86400',
    ),
    RateLimit: always(
      'Every window that counts the call: calls left `r` and seconds until its reset `t`.',
      text,
      '"minute";r=59;t=60, "day";r=999;t=43200',
    ),
    'X-Request-Id': always(
      'The id of this call: the id that you sent if it is valid, otherwise a new one.',
      text,
      EXAMPLE_REQUEST_ID,
    ),
    'X-Content-Type-Options': always(
      'Browsers must not guess a type other than the one in `Content-Type`.',
      { type: 'string', enum: ['nosniff'] },
      'nosniff',
    ),
    ETag: always('A strong validator of this response, for `If-None-Match`.', text, EXAMPLE_ETAG),
    'Cache-Control': always(
      'The response is only for the caller, and must be revalidated before it is used again.',
      text,
      'private, no-cache',
    ),
    Vary: always('The response depends on the `Accept-Encoding` of the request.', text, 'Accept-Encoding'),
    'Content-Encoding': {
      description: 'The compression of the response, chosen from `Accept-Encoding`; absent if it is not compressed.',
      schema: { type: 'string', enum: ['br', 'zstd', 'gzip'] },
      example: 'gzip',
    },
    PageLink: always(
      'The addresses of the next page (`rel="next"`, absent on the last page) and the first page (`rel="first"`). `CURSOR` in the example is a placeholder.',
      text,
      `<${baseUrl}/pets?limit=20&cursor=CURSOR>; rel="next", <${baseUrl}/pets?limit=20>; rel="first"`,
    ),
    Location: always('The address of the new animal.', { type: 'string', format: 'uri' }, `${baseUrl}/pets/57`),
    'Idempotency-Replayed': {
      description: 'Present if this repeats the first response: no second animal was created.',
      schema: { type: 'string', enum: ['true'] },
      example: 'true',
    },
    'Retry-After': always('Seconds to wait before the next call.', integer(1), 17),
    'WWW-Authenticate': always(
      'The scheme to authenticate with; has `error="invalid_token"` if a key was sent, or `error="insufficient_scope"` if its scope does not permit the call.',
      text,
      'Bearer error="invalid_token"',
    ),
    Deprecation: always('When the operation was deprecated, in Unix time (RFC 9745).', text, deprecation),
    Sunset: always('When the operation will be removed (RFC 8594).', text, sunset),
    DeprecationLink: always(
      'The documentation (`rel="deprecation"`) and the replacement (`rel="successor-version"`).',
      text,
      deprecationLink,
    ),
  }
}

export type ResponseHeader = keyof ReturnType<typeof responseHeaders>
