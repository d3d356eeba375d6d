/** Writes text for a command that is pasted into a POSIX shell. */

/** Always in single quotes. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** In quotes only if necessary. A backslash separates folders on Windows and needs none. */
export function shellWord(text: string): string {
  return /[^\w@%+=:,./\\~-]/.test(text) ? shellQuote(text) : text
}
