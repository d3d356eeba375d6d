/** The form in which account names are compared: case and normal form are ignored. It is in capitals: ß becomes SS, ς becomes Σ. */
export function nameKeyOf(name: string): string {
  return name.normalize('NFKC').toUpperCase().normalize('NFKC')
}

/** ASCII without the grave accent, which some people type as an apostrophe. */
const PLAIN_ASCII = /^[ -_a-~]*$/

/** Apostrophes and double quotes that the normal form would split, into a space and an accent or into two of them. */
const SPLIT_APOSTROPHES = /[\u00b4\u0384\u1fbd\u1fbf\u1ffd\u1ffe]/g
const SPLIT_QUOTES = /[\u02dd\u2033\u2036]/g

// The ranges are written out, because a newer version of Unicode must not change the stored forms, and because the schemas contain them.
/** Those that Unicode calls default-ignorable: joiners, marks of direction, variation selectors, fillers. */
const INVISIBLE =
  '\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8'
const ACCENTS = '\u0300-\u036f'
const HEBREW_POINTS = '\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7'
/** Vowels and other marks, and the tatweel. With U+0653 to U+0655, which are not among them, a letter is a different one. */
const ARABIC_MARKS =
  '\u0610-\u061a\u0640\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0897-\u089f\u08ca-\u08e1\u08e3-\u08ff'
/** Invisible ones and Arabic marks beyond U+FFFF. */
const RARE = '\u{10efa}-\u{10eff}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}'

/** What people do not see, or leave out when they type. */
const LEFT_OUT = INVISIBLE + ACCENTS + HEBREW_POINTS + ARABIC_MARKS
const ALL_LEFT_OUT = new RegExp(`[${LEFT_OUT}${RARE}]`, 'gu')

/** The pattern of a text of which a search compares something. It contains the characters themselves, as in text-pattern.ts, and no rare ones. */
export const SEARCHABLE_PATTERN = `[^${LEFT_OUT}]`

const APOSTROPHES =
  /[`\u02b9\u02bb-\u02c0\u02c8\u02ca\u02cb\u055a\u05f3\u2018-\u201b\u2032\u2035\u2039\u203a\u275b\u275c\u275f\ua78b]/g
const QUOTES = /[\u00ab\u00bb\u02ba\u02ee\u05f4\u201c-\u201f\u275d\u275e\u2760\u2e42\u301d-\u301f\u{1f676}-\u{1f678}]/gu
const HYPHENS = /[\u02d7\u058a\u05be\u1400\u1806\u2010-\u2015\u2043\u2212\u2e17\u2e1a\u2e3a\u2e3b\u2e40\u2e5d]/g

/** Letters that Unicode does not decompose, and what people type instead. */
const PLAIN: Readonly<Record<string, string>> = { Ø: 'O', Ł: 'L', Đ: 'D', Ħ: 'H', Ŧ: 'T', Æ: 'AE', Œ: 'OE' }

/**
 * The form in which text is searched: without case, normal form, accents, vowel marks and invisible characters, and with the apostrophes, quotes
 * and hyphens of a keyboard. PostgreSQL has the same function. Both stores keep the folded names of animals, so a change needs a migration for each.
 */
export function fold(text: string): string {
  if (PLAIN_ASCII.test(text)) return text.toUpperCase()
  const whole = text.replaceAll(SPLIT_APOSTROPHES, "'").replaceAll(SPLIT_QUOTES, '"')
  const bare = nameKeyOf(whole).normalize('NFKD').replaceAll(ALL_LEFT_OUT, '').normalize('NFKC')
  const typed = bare.replaceAll(APOSTROPHES, "'").replaceAll(QUOTES, '"').replaceAll(HYPHENS, '-')
  return typed.replaceAll(/[ØŁĐĦŦÆŒ]/g, letter => PLAIN[letter] as string)
}
