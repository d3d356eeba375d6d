// Unicode's East Asian Width (UAX #11) W and F; halfwidth forms take one column.
const TWO_COLUMNS =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
// Combining marks, the later letters of a Hangul syllable, and joiners of emoji. A soft hyphen is shown.
const NO_COLUMN = /(?!\u00ad)[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff]/u

export function columnsOf(text: string): number {
  let columns = 0
  for (const character of text) {
    if (!NO_COLUMN.test(character)) columns += TWO_COLUMNS.test(character) ? 2 : 1
  }
  return columns
}

/** Breaks a text into lines of at most `width` columns: between words or, if a word is too long, within it. */
export function wrap(text: string, width: number): string[] {
  if (columnsOf(text) <= width) return [text]
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap(one => breakWord(one, width))) {
    const longer = line === '' ? word : `${line} ${word}`
    if (columnsOf(longer) <= width) {
      line = longer
      continue
    }
    lines.push(line)
    line = word
  }
  return [...lines, line]
}

function breakWord(word: string, width: number): string[] {
  const parts = ['']
  for (const character of word) {
    const last = parts.length - 1
    if (columnsOf(parts[last] + character) > width && parts[last] !== '') parts.push(character)
    else parts[last] += character
  }
  return parts
}
