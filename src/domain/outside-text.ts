/** Text from outside (a header, a line of a file, an error that repeats one), made safe to be shown. */

/**
 * Controls, what turns the reading direction, and what takes no room: a terminal obeys the first two, and nobody sees the last. What joins
 * or colours emoji may stay where it does, and so may what joins or parts the letters of a word, in the scripts that write with it: Persian,
 * say, or Hindi (unicode.org/reports/tr31, Layout and Format Control Characters).
 */
const JOINING =
  'Arabic Syriac Mongolian Nko Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan'
    .split(' ')
    .map(script => `\\p{Script=${script}}`)
    .join('')

const UNSEEN = new RegExp(
  [
    String.raw`(?!(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic}))`,
    // Between letters, a mark on the first among them. At the end of a word nobody would see it, but for chillu letters of Malayalam.
    `(?!(?<=[${JOINING}])(?<=\\p{L}\\p{M}*)[\\u200c\\u200d](?=[${JOINING}])(?=[\\p{L}\\p{M}]))`,
    String.raw`(?!(?<=\u0d4d)\u200d)`,
    String.raw`(?!(?<=\p{Emoji})[\ufe0e\ufe0f])`,
    String.raw`[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]`,
  ].join(''),
  'gu',
)

/** Such characters as `\u{202e}`. */
export function spellOut(text: string): string {
  return text.replaceAll(UNSEEN, character => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/** The same within JSON text, which it leaves the same JSON: there, such characters are in strings alone. */
export function escapeUnseen(json: string): string {
  return json.replaceAll(UNSEEN, character => (character === '\n' ? character : escapeUnits(character)))
}

function escapeUnits(character: string): string {
  const units = character.split('').map(unit => unit.charCodeAt(0).toString(16).padStart(4, '0'))
  return units.map(unit => `\\u${unit}`).join('')
}

/** Without keys, tokens, sessions' secrets, and the passwords of URLs. */
export function withoutSecrets(text: string): string {
  return text
    .replaceAll(/(petstore_(?:(?:operator_)?(?:live|test)|session|csrf)_)[\w-]+/g, '$1…')
    .replaceAll(/(\w:\/\/[^\s:@/]*:)\S+@/g, '$1…@')
    .replaceAll(/([?&]password=)[^\s&'"]+/g, '$1…')
}

const MAX_LOGGED = 200

/**
 * What a client sent, on its way into a log: also without what may be a secret, or most of one, that is encoded or cut in some way, and
 * with a bound. Nothing that long and that plain is in an address or a path of ours.
 */
export function forLog(text: string, maxLength = MAX_LOGGED): string {
  // First what is secret, then the bound: the first half of a secret would no longer look like one.
  return bounded(spellOut(withoutSecrets(text).replaceAll(/petstore_\S*|[\w-]{30,}/gi, '(withheld)')), maxLength)
}

export function bounded(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text
}
