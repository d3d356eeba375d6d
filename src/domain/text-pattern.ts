/** The longest text that the pattern supports, in code points. */
export const MAX_TEXT_LENGTH = 255

const CONTROL = '\u0000-\u001F\u007F-\u009F'

/** White space, without control characters and the two line separators. */
export const BLANK = ' \u00A0\u1680\u2000-\u200A\u202F\u205F\u3000\uFEFF'

/**
 * Includes the line separators, and their neighbours U+2027 and U+202A, which are not white space. The separators themselves must not be
 * in a pattern: code generators copy it, and a separator would end the line of code.
 */
const NEARLY_BLANK = `${BLANK}\u2027-\u202A`

/**
 * The pattern of a text without control characters and with at least one character that is not white space. It means the same with and
 * without the `u` flag. It contains the characters themselves, because `\s`, `\p{Cc}` and `\u0000` mean something else in some tools.
 * Schemas check the length; the pattern limits it only so that no text takes long to match.
 */
export const TEXT_PATTERN = `^[${NEARLY_BLANK}]{0,${MAX_TEXT_LENGTH - 1}}([^${NEARLY_BLANK}${CONTROL}]|[\u2027\u202A])[^${CONTROL}]*$`

/** Characters that are invisible or change the direction of text; they are always refused. U+2028 to U+202E are below. */
export const UNSEEN =
  '\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200E\u200F\u2060-\u206F\u3164\uFE00-\uFE0D\uFEFF\uFFA0\uFFF0-\uFFFB'

/** The pattern of a label, in which every character is visible. The line separators are between U+2027 and U+202E. */
export const LABEL_PATTERN = `^[${BLANK}]*([^${BLANK}${CONTROL}${UNSEEN}\u2027-\u202E]|\u2027)([^${CONTROL}${UNSEEN}\u2027-\u202E]|\u2027)*$`
