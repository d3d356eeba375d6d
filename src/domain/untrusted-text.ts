import { SECRET_PREFIX } from './secret-forms.ts'

/** Makes untrusted text (a header, a line of a file, an error that quotes one) safe to show. */

/**
 * Scripts such as Persian and Hindi, which use joiners between the letters of a word (unicode.org/reports/tr31, Layout and Format Control
 * Characters).
 */
const JOINING =
  'Arabic Syriac Mongolian Nko Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan'
    .split(' ')
    .map(script => `\\p{Script=${script}}`)
    .join('')

/**
 * Invisible characters, and the characters that terminals act on: control characters and those that change the reading direction.
 * Characters that join or colour emoji are allowed between emoji, and joiners are allowed between letters of the scripts above.
 */
const UNSEEN = new RegExp(
  [
    String.raw`(?!(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic}))`,
    // Between letters; the first may have marks. At the end of a word it is invisible, except in chillu letters of Malayalam.
    `(?!(?<=[${JOINING}])(?<=\\p{L}\\p{M}*)[\\u200c\\u200d](?=[${JOINING}])(?=[\\p{L}\\p{M}]))`,
    String.raw`(?!(?<=\u0d4d)\u200d)`,
    String.raw`(?!(?<=\p{Emoji})[\ufe0e\ufe0f])`,
    String.raw`[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]`,
  ].join(''),
  'gu',
)

/** Writes such characters as `\u{202e}`. */
export function spellOut(text: string): string {
  return text.replaceAll(UNSEEN, character => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/** Escapes such characters in JSON text, where they can only be in strings, so its meaning does not change. */
export function escapeUnseen(json: string): string {
  return json.replaceAll(UNSEEN, character => (character === '\n' ? character : escapeUnits(character)))
}

/** Writes a character as JSON's `\u` escapes: one, or two for a character above U+FFFF. */
export function escapeUnits(character: string): string {
  const units = character.split('').map(unit => unit.charCodeAt(0).toString(16).padStart(4, '0'))
  return units.map(unit => `\\u${unit}`).join('')
}

const SECRET = new RegExp(`(${SECRET_PREFIX})[\\w-]+`, 'g')

/** Shortens keys, tokens, secrets of sessions and links, and the passwords of URLs. */
export function withoutSecrets(text: string): string {
  return text
    .replaceAll(SECRET, '$1…')
    .replaceAll(/(\w:\/\/[^\s:@/]*:)\S+@/g, '$1…@')
    .replaceAll(/([?&]\w*password=)[^\s&'"]+/gi, '$1…')
}

const MAX_LOGGED = 200

/**
 * Prepares text from a client for the log. It withholds anything that may be a secret, even if encoded or cut, and limits the length. Our
 * own paths and addresses contain no words that long.
 */
export function forLog(text: string, maxLength = MAX_LOGGED): string {
  // Secrets first: a secret that is cut in half no longer looks like one.
  const searched = beginningOf(text, maxLength)
  return bounded(spellOut(withoutSecrets(searched).replaceAll(/petstore_\S*|[\w-]{30,}/gi, '(withheld)')), maxLength)
}

/** Searching a long text for secrets would take long. It is cut before a word, which may be half a secret. */
function beginningOf(text: string, maxLength: number): string {
  let end = SEARCHED * maxLength
  // The mark of an earlier cut may follow.
  if (text.length <= end + 1) return text
  while (end > 0 && /[\w%-]/.test(text.charAt(end - 1))) end -= 1
  return `${text.slice(0, end)}…`
}

/** How much more of a text is searched than is shown. */
const SEARCHED = 2

/** The same for text that may be percent-encoded, such as a path. It stays encoded if nothing has to be withheld, spelled out or cut off. */
export function encodedForLog(text: string, maxLength = MAX_LOGGED): string {
  const decoded = decodeFully(beginningOf(text, maxLength))
  const safe = forLog(decoded, maxLength)
  return safe === decoded && text.length <= maxLength ? text : safe
}

/** Decodes every percent-encoded character, however many times it was encoded. Bytes that are not UTF-8 become one character each. */
export function decodeFully(text: string): string {
  return text.replaceAll(/(?:%(?:25)*[0-9A-Fa-f]{2})+/g, encoded => {
    return decodeBytes(Buffer.from(encoded.replaceAll(/%(?:25)*([0-9A-Fa-f]{2})/g, '$1'), 'hex'))
  })
}

/** Decodes a header, of which Node makes one character for each byte. */
export function decodeSent(text: string): string {
  return decodeBytes(Buffer.from(text, 'latin1'))
}

function decodeBytes(bytes: Buffer): string {
  const decoded = bytes.toString()
  return decoded.includes('\uFFFD') ? bytes.toString('latin1') : decoded
}

export function bounded(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text
}
