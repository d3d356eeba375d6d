/** @throws TypeError that names the fault in the form of the key, and never repeats the key */
export function parseKey(text: string): string {
  const fault = typeof text === 'string' ? FAULTS.find(([pattern]) => pattern.test(text))?.[1] : 'it is not a string'
  if (fault === undefined) return text
  throw new TypeError(`apiKey must be an API key issued by the operator of the service; ${fault}.`)
}

/** How keys are pasted by mistake. The service decides about all other texts. */
const FAULTS: readonly (readonly [pattern: RegExp, fault: string])[] = [
  [/^$/, 'it is empty'],
  [/^\s*Bearer\b/i, 'it begins with "Bearer"'],
  [/["'`\u2018-\u201f\u00ab\u00bb]/, 'it contains quotes'],
  [/[<>()[\]{}]/, 'it contains brackets'],
  [/[\r\n]|\\[nr]|%0[ad]/i, 'it contains a line end'],
  [/[ \t]/, 'it contains a space'],
  [/[,;]/, 'it contains a comma or a semicolon'],
  [/[^\x21-\x7e]/, 'it contains a character that is invisible or not ASCII'],
]
