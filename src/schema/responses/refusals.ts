import { id, named, nullable, text, time } from '../fields.ts'
import { Type } from '../type.ts'
import { writerOf } from '../write-json.ts'

export const RefusalJson = named('Refusal', 'A call with an API key that was answered with an error.', {
  calledAt: time('When it was made.'),
  keyId: id('The key.'),
  keyName: nullable(text('The name of the key.')),
  method: text('Its method.'),
  path: text(
    'Its path and query. What may be a secret is replaced with `(withheld)`, and a long path is cut off, with `…` at its end.',
  ),
  status: Type.Integer({ description: 'The status of the response.', minimum: 400, maximum: 599 }),
  code: text('The `code` of the response.'),
  calledFrom: text('Where it came from: an IPv4 address, the /64 network of an IPv6 address, or `unknown`.'),
  userAgent: nullable(text('Its `User-Agent`, written in the same way as the path.')),
})

export const refusalJson = writerOf(RefusalJson)
