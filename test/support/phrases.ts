import { codesIn, tablesIn } from './guide-texts.ts'

/** The list of phrases in CONTRIBUTING.md. */
export interface PhraseList {
  /** Phrases that no text may contain, in lower case. */
  avoided: readonly string[]
  /** Texts that may contain an avoided phrase. */
  fine: readonly string[]
}

/** A phrase of the list, and the line of a text that contains it. */
export interface Finding {
  line: number
  phrase: string
}

/** Matches the space between two words of a phrase: it may be a line break with the comment mark of the next line. */
const GAP = '\\s+(?:(?:#|//|\\*|--)\\s+)?'

/** Reads the table below the heading "How we write": phrases to avoid, what to write instead, exceptions. */
export function readPhraseList(contributing: string): PhraseList {
  const [table = []] = tablesIn(sectionOf(contributing))
  const rows = table.slice(1)
  return {
    avoided: rows.flatMap(([avoided = '']) => codesIn(avoided)),
    fine: rows.flatMap(([, , fine = '']) => codesIn(fine)),
  }
}

/** The document without its list of phrases, and with the same line numbers. */
export function withoutPhraseList(contributing: string): string {
  const section = sectionOf(contributing)
  return contributing.replace(section, section.replaceAll(/^\|.*$/gm, ''))
}

/** Finds phrases in a text: whole words in any case, also across lines. */
export function findPhrases(text: string, { avoided, fine }: PhraseList): Finding[] {
  const masked = text.replaceAll(patternOf(fine), words => words.replaceAll(/\S/g, '*'))
  return [...masked.matchAll(patternOf(avoided))].map(({ 0: words, index }) => ({
    line: text.slice(0, index).split('\n').length,
    phrase: words.replaceAll(/\s+/g, ' '),
  }))
}

function sectionOf(contributing: string): string {
  return contributing.split(/^## /m).find(section => section.startsWith('How we write\n')) ?? ''
}

/** An empty list matches nothing. */
function patternOf(phrases: readonly string[]): RegExp {
  const alternatives = phrases.map(phrase => phrase.split(' ').map(RegExp.escape).join(GAP))
  return new RegExp(`(?<![\\w-])(?:${alternatives.join('|') || '(?!)'})(?![\\w-])`, 'gi')
}
