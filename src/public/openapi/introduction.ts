import { PUBLIC_ERRORS, type PublicErrorCode } from '../../domain/errors.ts'
import { limitsOf, PLANS } from '../../domain/plan.ts'
import { REFUSAL_TEXTS } from './refusal-texts.ts'

/** What holds for every operation, in Markdown: the front page of the OpenAPI document. */
export function introduction(baseUrl: string): string {
  return `A catalogue of the animals that a store offers: list them, add one, read one.

All paths are relative to a base address that ends in \`/v1\`. Bodies are JSON (\`application/json\`, UTF-8). \`HEAD\` answers
as \`GET\` does, without a body; \`OPTIONS\` lists the methods of a path, needs no key and costs nothing.
All of this is also an OpenAPI document: [openapi.json](openapi.json).

## Authentication

Send your API key with every call:

\`\`\`http
Authorization: Bearer <API_KEY>
\`\`\`

Keys of production begin with \`petstore_live_\`, keys of staging with \`petstore_test_\`; neither works on the other.
A missing key is answered 401 \`missing_api_key\`, any key that does not work 401 \`invalid_api_key\`.
The operator of the service issues keys, rotates them with an overlap, and revokes them at once.

## Rate limits

Calls are counted per account, in two windows at once; all keys of an account share them.

| Plan | Calls per minute | Calls per day |
|---|---|---|
${PLANS.map(planRow).join('\n')}

The minute begins with the first call and lasts 60 seconds; the day is the calendar day in UTC. Every admitted call costs 1,
whatever its answer is; a refused call costs nothing. Calls without a valid key are counted per client address and never touch
an account.

Every answer, refusals included, has three integer headers for the window with the fewest calls remaining, and both windows as the
IETF draft *RateLimit header fields for HTTP* writes them:

| Header | Meaning |
|---|---|
| \`X-RateLimit-Limit\` | The limit in force. |
| \`X-RateLimit-Remaining\` | Calls remaining in the window. |
| \`X-RateLimit-Reset\` | Unix time in seconds at which the window resets. |
| \`RateLimit-Policy\` | Every window: quota \`q\`, length in seconds \`w\`. |
| \`RateLimit\` | Every window: remaining \`r\`, seconds to its reset \`t\`. |

A call over the limit is answered 429 \`rate_limit_exceeded\`. Wait as many seconds as \`Retry-After\` says; a client that waits exactly
that long is admitted. Should it be refused again, it must wait at least twice as long each time (exponential backoff).

## Bans

A key that goes on calling after its 429 is banned for a while, at first for minutes, then twice as long each further time, up to a day.
Its calls are answered 429 \`api_key_banned\`, with the end of the ban in \`Retry-After\` and \`X-RateLimit-Reset\`. Calls already in flight
at the first 429 do not count towards a ban, calls during a ban do not lengthen it, and other keys of the account go on working.

## Pages

Lists are in ascending order of \`id\`. Follow the address in the \`Link\` header with \`rel="next"\` until there is none:

\`\`\`http
Link: <${baseUrl}/pets?limit=20&cursor=…>; rel="next", <${baseUrl}/pets?limit=20>; rel="first"
\`\`\`

A cursor is opaque and belongs to the \`status\` filter it was issued with. A walk over all pages meets every animal that existed at its start
exactly once, whatever is added meanwhile.

## Numbers and names

\`id\` and \`categoryId\` are signed 64-bit integers and come back digit for digit: read them with a parser that keeps
9223372036854775807 exact. A \`name\` is kept byte for byte. Unknown members of a body and unknown query parameters are ignored.
Nothing is converted: \`"1"\` is no integer, \`1.0\` and \`1e3\` are.

## Repeating a creation safely

A creation that is sent with an \`Idempotency-Key\` may be sent again, for instance after a lost connection. Within 24 hours the same key with the
same body is answered with the first 201 and \`Idempotency-Replayed: true\`; no second animal is made. The same key with another body is
answered 422, and while the first request is still being carried out, 409. Keys are the account's own.

## Conditional requests

Both reads have a strong \`ETag\`. Send it back in \`If-None-Match\`, and an unchanged answer is a 304 without a body. It costs one call all the same.

## Refusals

Every refusal has the same three members:

\`\`\`json
{
  "code": "invalid_parameter",
  "message": "limit must be an integer from 1 to 100.",
  "status": 400
}
\`\`\`

\`code\` is made for programs and stays; \`message\` is made for people and may change. More codes may come.

${(Object.keys(PUBLIC_ERRORS) as PublicErrorCode[]).map(refusalItem).join('\n')}

Quote the \`X-Request-Id\` of an answer when you ask the operator about it. You may send an id of your own.

## Versions and deprecation

Inside \`/v1\` there are only additions: new optional parameters, members, headers and codes. Be ready to ignore what you do not know.

An operation that is to go is marked here, and all its answers say so in \`Deprecation\` (RFC 9745), \`Sunset\` (RFC 8594) and \`Link\`.
\`GET /pets/{petId}\` is deprecated and is removed on 5 December 2030; use \`GET /pets\` with the \`status\` filter.
`
}

function planRow(plan: (typeof PLANS)[number]): string {
  const name = plan.charAt(0).toUpperCase() + plan.slice(1)
  if (plan === 'enterprise') return `| ${name} | by agreement | by agreement |`
  const { perMinute, perDay } = limitsOf(plan)
  return `| ${name} | ${perMinute.toLocaleString('en')} | ${perDay.toLocaleString('en')} |`
}

function refusalItem(code: PublicErrorCode): string {
  return `- ${PUBLIC_ERRORS[code]} \`${code}\`: ${REFUSAL_TEXTS[code].when}`
}
