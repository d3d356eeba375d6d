/** The form of credentials, as people paste them. No text here repeats what was sent, or depends on whether a secret exists. */

/** The secret of an `Authorization: Bearer SECRET` header (RFC 6750 section 2.1), or the fault in the form of the header, as a clause. */
export function readBearer(
  header: string,
): { secret: string; fault?: undefined } | { secret?: undefined; fault: string } {
  const secret = /^Bearer +(\w+)$/i.exec(header)?.[1]
  if (secret !== undefined) return { secret }
  const sent = Buffer.from(header.replace(/^Bearer +/i, ''), 'latin1').toString()
  return { fault: findFault(HEADER_FAULTS, header) ?? findFault(SECRET_FAULTS, sent) ?? OTHER_CHARACTER }
}

/** The fault in the form of an API key or a token, as a clause such as "it contains quotes"; undefined if it has none. */
export function secretFault(secret: string): string | undefined {
  return findFault(SECRET_FAULTS, secret) ?? (/\W/.test(secret) ? OTHER_CHARACTER : undefined)
}

export const SENT_TWICE = 'the Authorization header was sent more than once'

type Faults = readonly (readonly [pattern: RegExp, fault: string])[]

/** None of these takes time that grows with the square of the length. */
const HEADER_FAULTS: Faults = [
  [/^$/, 'the Authorization header is empty'],
  [/^Bearer$/i, 'nothing follows "Bearer"'],
  [/^Bearer *[:=]/i, 'only a space may follow "Bearer"'],
  [/^Bearer .*\bBearer\b/is, 'the header has "Bearer" twice'],
  [/^(?!Bearer )[\w-]/i, 'the header must begin with "Bearer" and a space'],
]

const SECRET_FAULTS: Faults = [
  [/^$/, 'it is empty'],
  [/^Bearer\b/i, 'it begins with "Bearer"'],
  [/["'`\u2018-\u201f\u00ab\u00bb]/, 'it contains quotes'],
  [/[<>()[\]{}]/, 'it contains brackets'],
  [/[\r\n]|\\[nr]|%0[ad]/i, 'it contains a line end'],
  [/[ \t]/, 'it contains a space'],
  [/[,;]/, 'it contains a comma or a semicolon'],
  [/[^\x20-\x7e]/, 'it contains a character that is invisible or not ASCII'],
]

const OTHER_CHARACTER = 'it contains a character other than letters, digits and underscores'

function findFault(faults: Faults, text: string): string | undefined {
  return faults.find(([pattern]) => pattern.test(text))?.[1]
}
