/**
 * Parses JSON, every number as the text that it was written as: `JSON.parse` rounds integers beyond 2^53, and not every platform tells
 * a reviver what stood there.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  // As it stands: among texts, 007 would be one.
  JSON.parse(text)
  return JSON.parse(text.replace(STRING_OR_NUMBER, token => (token.startsWith('"') ? token : `"${token}"`)))
}

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** A member of what was parsed; undefined if that is no object, or has none of this name. */
export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}
