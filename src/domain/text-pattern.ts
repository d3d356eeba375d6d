/** No text that is checked by the pattern may be longer, in code points. */
export const MAX_TEXT_LENGTH = 255

const CONTROL = '\u0000-\u001F\u007F-\u009F'

/** White space that is not a control character, but for the two line separators. */
export const BLANK = ' \u00A0\u1680\u2000-\u200A\u202F\u205F\u3000\uFEFF'

/**
 * The line separators as well, and U+2027 and U+202A beside them, which are not white space. The separators must not be in a pattern
 * themselves: code generators write it as it is, and they end a line of code.
 */
const NEARLY_BLANK = `${BLANK}\u2027-\u202A`

/**
 * The pattern of a text that has no control character, and at least one character that is not white space. It means the same with the
 * `u` flag and without, and holds the characters themselves: `\s`, `\p{Cc}` and `\u0000` mean something else in some tools, or nothing.
 * The length is said beside it; it is known here only so that no text takes long to match.
 */
export const TEXT_PATTERN = `^[${NEARLY_BLANK}]{0,${MAX_TEXT_LENGTH - 1}}([^${NEARLY_BLANK}${CONTROL}]|[\u2027\u202A])[^${CONTROL}]*$`

/** Of what has no look of its own, or turns the direction of the text, all that is refused wherever it stands, but for U+2028 to U+202E. */
const UNSEEN =
  '\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200E\u200F\u2060-\u206F\u3164\uFE00-\uFE0D\uFEFF\uFFA0\uFFF0-\uFFFB'

/** The same of a label, in which every character can be seen. Between U+2027 and U+202E are the line separators. */
export const LABEL_PATTERN = `^[${BLANK}]*([^${BLANK}${CONTROL}${UNSEEN}\u2027-\u202E]|\u2027)([^${CONTROL}${UNSEEN}\u2027-\u202E]|\u2027)*$`
