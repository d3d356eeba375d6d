import type { EncodingGuess } from '../domain/pet-files.ts'
import { plausibilityIn } from './plausible-text.ts'

/** The encodings that programs write on their own. Of equally plausible ones, an earlier one is more common. */
const CANDIDATES = [
  ...['windows-1252', 'windows-1250', 'windows-1251', 'shift_jis', 'euc-kr', 'gb18030', 'big5', 'windows-1254'],
  ...['windows-1253', 'windows-1257', 'windows-1255', 'windows-1256', 'windows-874', 'macintosh', 'koi8-r', 'euc-jp'],
  ...['iso-8859-2', 'iso-8859-5', 'iso-8859-7', 'iso-8859-15', 'x-mac-cyrillic', 'ibm866', 'koi8-u'],
]

const MAX_GUESSES = 5
const MAX_LINES = 3
/** Guesses that are far less plausible than the best one are left out. */
const MIN_SHARE_OF_BEST = 0.25

/**
 * The likely encodings of lines that are not valid UTF-8, best first. Of encodings in which all lines are the same, only one is listed.
 * @param lines with bytes beyond ASCII
 */
export function guessEncodings(lines: readonly Buffer[]): EncodingGuess[] {
  const ranked = CANDIDATES.map(encoding => judge(lines, encoding)).sort((one, other) => other.score - one.score)
  const least = (ranked[0]?.score ?? 0) * MIN_SHARE_OF_BEST
  const different = new Map(ranked.toReversed().map(judged => [judged.texts.join('\n'), judged]))
  const likely = ranked
    .filter(judged => different.get(judged.texts.join('\n')) === judged)
    .filter(({ score }) => score > 0 && score >= least)
    .slice(0, MAX_GUESSES)
  const shown = mostTelling(likely.map(({ texts }) => texts))
  return likely.map(({ encoding, texts }) => ({ encoding, lines: shown.map(line => excerpt(texts[line] ?? '')) }))
}

interface Judged {
  encoding: string
  /** The lines in this encoding; empty where they are not valid. */
  texts: string[]
  /** The mean plausibility of the lines, far lower if some are impossible. */
  score: number
}

function judge(lines: readonly Buffer[], encoding: string): Judged {
  const plausibility = plausibilityIn(encoding)
  const texts = lines.map(line => read(line, encoding))
  const scores = texts.map(text => (text === '' ? 0 : plausibility(text)))
  const possible = scores.filter(score => score > 0)
  const sum = possible.reduce((sum, one) => sum + one, 0)
  return { encoding, texts, score: (sum * possible.length ** 2) / Math.max(1, lines.length) ** 3 }
}

function read(line: Buffer, encoding: string): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(line)
  } catch {
    return ''
  }
}

/** Chooses the lines that show best which of the guesses is right, in the order of the file. */
function mostTelling(guesses: readonly (readonly string[])[]): number[] {
  const chosen: number[] = []
  const [first = []] = guesses
  /** How many guesses differ in the chosen lines and this one. */
  const told = (line: number) =>
    new Set(guesses.map(texts => JSON.stringify([...chosen, line].map(at => texts[at])))).size
  while (chosen.length < Math.min(MAX_LINES, first.length)) {
    const left = first.keys().filter(line => !chosen.includes(line) && !chosen.some(at => first[at] === first[line]))
    let [best, most] = [-1, 0]
    for (const line of left) {
      const count = told(line)
      if (count > most) [best, most] = [line, count]
    }
    if (best === -1) break
    chosen.push(best)
  }
  return chosen.sort((one, other) => one - other)
}

const MAX_SHOWN = 80
const SHOWN_BEFORE = 20

/** The part of a line around its first character beyond ASCII. */
function excerpt(text: string): string {
  const characters = [...text]
  if (characters.length <= MAX_SHOWN) return text
  const at = characters.findIndex(character => character > '\u007f')
  const start = at < MAX_SHOWN - SHOWN_BEFORE ? 0 : at - SHOWN_BEFORE
  const end = start + MAX_SHOWN
  const part = characters.slice(start, end).join('')
  return `${start > 0 ? '…' : ''}${part}${end < characters.length ? '…' : ''}`
}
