import type { UnknownValue } from '../../api/schema.ts'

/** What words in a file mean, by `wordOf`; empty: not chosen. */
export type Meanings = Readonly<Record<string, string>>

/** A word in the column of a member, as the service reads it in a meaning. */
export function wordOf({ member, value }: Pick<UnknownValue, 'member' | 'value'>): string {
  return `${member}:${value.replaceAll(/\s+/g, ' ')}`
}

/** The chosen meanings, one on each line, for the service. */
export function linesOf(meanings: Meanings): string {
  const chosen = Object.entries(meanings).filter(([, meaning]) => meaning !== '')
  return chosen.map(([word, meaning]) => `${word}=${meaning}`).join('\n')
}

export const DELIMITER_NAMES = {
  comma: 'Comma',
  semicolon: 'Semicolon',
  tab: 'Tab',
  pipe: 'Vertical bar',
}
