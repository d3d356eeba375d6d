import type { PublicErrorCode } from '../../domain/errors.ts'

/** What a client reads about a code: when it is met, and an example of its message. */
interface RefusalText {
  when: string
  message: string
}

/** Every code of the contract, explained. The type demands a text for each code that is ever added. */
export const REFUSAL_TEXTS: Readonly<Record<PublicErrorCode, RefusalText>> = {
  malformed_request: {
    when: 'The request is not valid HTTP/1.1: a broken request line, header or target, or not exactly one valid `Host`.',
    message: 'The request must have exactly one Host header, with a host and perhaps a port.',
  },
  invalid_parameter: {
    when: '`limit`, `status` or `cursor` is empty, repeated or out of range.',
    message: 'limit must be an integer from 1 to 100.',
  },
  invalid_cursor: {
    when: '`cursor` was not issued by this deployment, or was issued for another `status`.',
    message: 'cursor must be taken from the Link header of the page before, with the same status.',
  },
  invalid_json: {
    when: 'The body is not one JSON value in UTF-8, has two members of one name, nests deeper than 32 levels, or has a string with NUL or a lone surrogate, be it in an unknown member.',
    message: 'The body must be one JSON value; it is not valid at character 12.',
  },
  invalid_body: {
    when: 'The body lacks a required member, or a member is not as the schema says. Nothing is converted.',
    message: 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807.',
  },
  invalid_idempotency_key: {
    when: '`Idempotency-Key` is repeated, or is not 1 to 255 visible ASCII characters.',
    message: 'Idempotency-Key must be 1 to 255 visible ASCII characters, sent once.',
  },
  missing_api_key: {
    when: 'No `Authorization` header was sent.',
    message: 'An API key is needed: send "Authorization: Bearer <API_KEY>".',
  },
  invalid_api_key: {
    when: 'The API key is mistyped, unknown, expired, revoked, or belongs to the other deployment; or its account is suspended, or `Authorization` is sent twice, or is not `Bearer` and a key.',
    message: 'The API key is not valid here: send "Authorization: Bearer <API_KEY>" with a current key.',
  },
  pet_not_found: {
    when: 'No animal has this id. Anything but a decimal 64-bit integer is answered the same way.',
    message: 'No animal has the id 4711.',
  },
  route_not_found: {
    when: 'Nothing is at this path. Paths are exact: neither case nor a trailing slash is forgiven.',
    message: 'Nothing is at this path; the API is described at /docs.',
  },
  method_not_allowed: {
    when: 'The path is there, but not with this method; `Allow` lists those it has.',
    message: 'This path allows GET, HEAD, POST, OPTIONS.',
  },
  request_timeout: {
    when: 'The request did not arrive completely in time. The connection is closed.',
    message: 'The request did not arrive completely in time.',
  },
  idempotency_in_progress: {
    when: 'A request with the same `Idempotency-Key` is still being carried out.',
    message: 'The same request is being carried out; retry in a second.',
  },
  operation_removed: {
    when: 'The operation was removed on 5 December 2030.',
    message: 'This operation was removed on 5 December 2030; use GET /pets with the status filter.',
  },
  body_too_large: {
    when: 'The body is longer than 65,536 bytes.',
    message: 'The body must be at most 65536 bytes long.',
  },
  uri_too_long: {
    when: 'The request target is longer than 8,192 bytes.',
    message: 'The request target must be at most 8192 bytes long.',
  },
  unsupported_media_type: {
    when: 'The body is not sent as `application/json` in UTF-8, or is compressed.',
    message: 'The body must be sent as Content-Type: application/json, in UTF-8.',
  },
  expectation_failed: {
    when: '`Expect` asks for something other than `100-continue`.',
    message: 'The only expectation that is met here is 100-continue.',
  },
  idempotency_key_reused: {
    when: 'This `Idempotency-Key` was used within the last 24 hours with another body.',
    message: 'This Idempotency-Key was used with another body; use a new key for a new animal.',
  },
  rate_limit_exceeded: {
    when: 'The calls of the minute or of the day are used up. Wait for `Retry-After` seconds.',
    message: 'The limit of 60 calls per minute is used up; retry in 17 seconds.',
  },
  api_key_banned: {
    when: 'The API key went on calling after 429 answers and is banned until `X-RateLimit-Reset`.',
    message: 'This API key went on calling after 429 answers and is banned; retry in 894 seconds.',
  },
  headers_too_large: {
    when: 'The header section is larger than 16,384 bytes.',
    message: 'The header section is too large.',
  },
  internal_error: {
    when: 'Something went wrong in the service. Quote `X-Request-Id` to its operator.',
    message: 'Something went wrong on our side; the request id helps the operator find it.',
  },
  method_not_supported: {
    when: 'The method is `CONNECT`. The connection is closed.',
    message: 'CONNECT is not supported: this service is not a proxy.',
  },
  service_unavailable: {
    when: 'The service cannot reach its store just now. Retry after `Retry-After` seconds, a creation with its `Idempotency-Key`.',
    message: 'The service cannot reach its store just now; retry shortly.',
  },
}
