/**
 * Parses JSON and keeps every number as a string: `JSON.parse` rounds integers beyond 2^53, and not every platform passes the original
 * text to a reviver.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  // Check the original first: a number such as 007 would be accepted once it is quoted.
  JSON.parse(text)
  return JSON.parse(text.replace(STRING_OR_NUMBER, token => (token.startsWith('"') ? token : `"${token}"`)))
}

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** A member of a parsed object; undefined if the value is not an object or has no such member. */
export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}
