/** Writes text for a command that is pasted into a POSIX shell. */

/** In single quotes, whatever it has. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** In quotes only if it needs them. A backslash divides the folders of Windows, and has none. */
export function shellWord(text: string): string {
  return /[^\w@%+=:,./\\~-]/.test(text) ? shellQuote(text) : text
}
