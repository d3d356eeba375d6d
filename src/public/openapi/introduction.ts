import { formatNumber } from '../../domain/format-number.ts'
import { limitsOf, PLANS } from '../../domain/plan.ts'
import { SUNSET_DATE } from '../../schema/deprecation.ts'
import { PUBLIC_ERRORS } from '../../schema/error-codes.ts'

/** The front page of the OpenAPI document, in Markdown: everything that applies to all operations. */
export function introduction(baseUrl: string): string {
  return `The catalogue of the animals that a store offers: list animals, add one, or get one.

All paths are relative to a base address that ends in \`/v1\`. Bodies are JSON (\`application/json\`, UTF-8). \`HEAD\` responds
like \`GET\`, without a body; \`OPTIONS\` lists the methods of a path, needs no key and is not counted.
This reference is also available as an OpenAPI document: [openapi.json](openapi.json).

## Authentication

Send your API key with every call:

\`\`\`http
Authorization: Bearer <API_KEY>
\`\`\`

Production keys begin with \`petstore_live_\`, staging keys with \`petstore_test_\`; neither works on the other deployment.
A call without a key gets 401 \`missing_api_key\`; a key that does not work gets 401 \`invalid_api_key\`.
A key with the scope \`read\` cannot add animals: 403 \`insufficient_scope\`. A key may be bound to networks: calls with it from anywhere else get 401.
The operator of the service issues keys, rotates them with an overlap, and revokes them with immediate effect.

## Rate limits

Calls are counted per account, in two windows at the same time; all keys of an account share them.

| Plan | Calls per minute | Calls per day |
|---|---|---|
${PLANS.map(planRow).join('\n')}

The minute begins with the first call and lasts 60 seconds; the day is the calendar day in UTC. Every admitted call costs 1,
whatever its response; a refused call costs nothing. Calls without a valid key are counted per client address and never count
towards an account.

Every response, including errors, has three integer headers for the window with the fewest calls left, and both windows in the
format of the IETF draft *RateLimit header fields for HTTP*:

| Header | Meaning |
|---|---|
| \`X-RateLimit-Limit\` | The limit that applies. |
| \`X-RateLimit-Remaining\` | Calls left in the window. |
| \`X-RateLimit-Reset\` | When the window resets, in Unix seconds. |
| \`RateLimit-Policy\` | Every window: quota \`q\`, length in seconds \`w\`. |
| \`RateLimit\` | Every window: calls left \`r\`, seconds until its reset \`t\`. |

A call over the limit gets 429 \`rate_limit_exceeded\`. Wait for the number of seconds in \`Retry-After\`; a client that waits exactly
that long is admitted. If it is refused again, it must wait at least twice as long each time (exponential back-off).

## Bans

If calls from one address keep coming after a 429, the key is banned for that address (of IPv6, for its /64) for a while: at first for minutes,
then twice as long each time, up to a day. Its calls get 429 \`api_key_banned\`; \`Retry-After\` and \`X-RateLimit-Reset\` say when you may call
again. Calls within 10 seconds of the first 429 do not count towards a ban, calls during a ban do not extend it, and other callers with the key
and other keys of the account keep working.

## Pages

Lists are sorted by ascending \`id\`. Follow the address in the \`Link\` header with \`rel="next"\` until there is none:

\`\`\`http
Link: <${baseUrl}/pets?limit=20&cursor=…>; rel="next", <${baseUrl}/pets?limit=20>; rel="first"
\`\`\`

A cursor is opaque and works only with the \`status\` filter it was issued for. If you follow all pages, you get every animal that existed
when you started exactly once, no matter what is added in the meantime.

## Numbers and names

\`id\` and \`categoryId\` are signed 64-bit integers and are returned digit for digit: use a parser that keeps
9223372036854775807 exact. A \`name\` is stored byte for byte. Unknown members of a body and unknown query parameters are ignored.
Values are never converted: \`"1"\` is not an integer, but \`1.0\` and \`1e3\` are.

## Repeating a creation safely

You can repeat a creation that has an \`Idempotency-Key\`, for example after a lost connection. Within 24 hours, the same key with the
same body gets the first 201 again, with \`Idempotency-Replayed: true\`; no second animal is created. The same key with a different
body gets 422, and 409 while the first request is still in progress. Each account has its own keys.

## Conditional requests

Both \`GET\` operations return a strong \`ETag\`. Send it in \`If-None-Match\`: if nothing has changed, the response is 304 without a body.
This still costs one call.

## Errors

Every error response has the same three members:

\`\`\`json
{
  "code": "invalid_parameter",
  "message": "${PUBLIC_ERRORS.invalid_parameter.example}",
  "status": ${PUBLIC_ERRORS.invalid_parameter.status}
}
\`\`\`

\`code\` is for programs and does not change; \`message\` is for people and may change. More codes may be added.

${Object.entries(PUBLIC_ERRORS).map(errorItem).join('\n')}

Quote the \`X-Request-Id\` of a response when you ask the operator about it. You can also send your own id with a call.

## Versions and deprecation

Within \`/v1\`, changes only ever add something: new optional parameters, members, headers and codes. Ignore those that you do not know.

An operation that will be removed is marked here, and all its responses announce this in \`Deprecation\` (RFC 9745), \`Sunset\` (RFC 8594) and \`Link\`.
\`GET /pets/{petId}\` is deprecated and will be removed on ${SUNSET_DATE}; use \`GET /pets\` with the \`status\` filter.
`
}

function planRow(plan: (typeof PLANS)[number]): string {
  const name = plan.charAt(0).toUpperCase() + plan.slice(1)
  if (plan === 'enterprise') return `| ${name} | by agreement | by agreement |`
  const { perMinute, perDay } = limitsOf(plan)
  return `| ${name} | ${formatNumber(perMinute)} | ${formatNumber(perDay)} |`
}

function errorItem([code, { status, when }]: [string, { status: number; when: string }]): string {
  return `- ${status} \`${code}\`: ${when}`
}
