/**
 * Returns a function that judges how plausible a line is if it was read in this encoding: from 0, impossible, to 1, ordinary text. It looks at
 * the words with characters beyond ASCII: a wrong encoding mixes scripts, upper and lower case, and signs with letters.
 */
export function plausibilityIn(encoding: string): (text: string) => number {
  const usual = usualLetters(encoding)
  return text => {
    if (IMPOSSIBLE.test(text)) return 0
    const words = (text.match(WORD) ?? []).filter(word => BEYOND_ASCII.test(word))
    return words.reduce((sum, word) => sum + judge(word, usual), 0) / Math.max(1, words.length)
  }
}

const IMPOSSIBLE = /[\p{Co}\p{Cn}\ufffd]|(?!\t)\p{Cc}/u
/** Letters, marks and everything else beyond ASCII. */
const WORD = /(?:[A-Za-z]|\P{ASCII})+/gu
const BEYOND_ASCII = /\P{ASCII}/u

const LETTER = /[\p{L}\p{M}]/u
const LETTERS = /[\p{L}\p{M}]/gu
/** A sign between letters, other than an apostrophe, a hyphen or a dot. */
const SIGN_INSIDE = /[\p{L}\p{M}][^\p{L}\p{M}’‐‑–·・\u00ad\u00a0]+[\p{L}\p{M}]/u
/** A sign that stands at the wrong end of a word. */
const SIGN_MISPLACED = /[‘“„‚«‹¿¡]$|^[”»›™®©…]\p{L}/u
/** The signs that are common beside words. */
const USUAL_SIGNS = /^[\s\p{L}\p{M}’‘‚“”„«»‹›–—…°ºª€£©®™§½¼¾¿¡№·、。「」『』（）・～！？♂♀♥]+$/u
const MIXED_CASE = /\p{Ll}\p{M}*\p{Lu}|\p{Lu}{2}\p{Ll}/u
/** A letter that only ends a word, and a mark that follows no letter. */
const WRONG_PLACE = /[ךםןףץς]\p{L}|^\p{M}/u
const VOWEL = /[aeiouyæœøаеиоуыэюяієαεηιουω]/i

const SCRIPTS = [
  /\p{scx=Latin}/u,
  /\p{scx=Cyrillic}/u,
  /\p{scx=Greek}/u,
  /\p{scx=Hebrew}/u,
  /\p{scx=Arabic}/u,
  /\p{scx=Thai}/u,
  /\p{scx=Hangul}/u,
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]/u,
]

function judge(word: string, isUsual: (letter: string) => boolean): number {
  if (!LETTER.test(word)) return 0.3
  if (SIGN_INSIDE.test(word) || SIGN_MISPLACED.test(word) || WRONG_PLACE.test(word)) return 0.1
  const scripts = SCRIPTS.filter(script => script.test(word))
  if (scripts.length !== 1 || MIXED_CASE.test(word)) return 0.1
  const letters = word.match(LETTERS) ?? []
  const beyond = letters.filter(letter => BEYOND_ASCII.test(letter))
  const [script] = scripts
  // Words of Latin letters are seldom made of letters with accents alone.
  const isOdd = script === SCRIPTS[0] && beyond.length >= 3 && beyond.length > letters.length * 0.75
  const isSpoken = letters.length < 3 || SCRIPTS.indexOf(script as RegExp) > 2 || VOWEL.test(word.normalize('NFD'))
  const share = beyond.filter(isUsual).length / Math.max(1, beyond.length)
  return (isOdd ? 0.1 : 1) * (isSpoken ? 1 : 0.6) * (USUAL_SIGNS.test(word) ? 1 : 0.3) * (0.4 + 0.6 * share)
}

const WESTERN = 'àáâãäåæçèéêëìíîïñòóôõöøœùúûüÿß'
const CENTRAL = 'áâăäąćçčďđéęěëíîĺľłńňóôőöŕřśšşťţúůűüýźżžß'
const CYRILLIC = 'абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґў'
const GREEK = 'αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ'

const ALPHABETS: Readonly<Record<string, string>> = {
  'windows-1252': WESTERN,
  'iso-8859-15': WESTERN,
  macintosh: WESTERN,
  'windows-1250': CENTRAL,
  'iso-8859-2': CENTRAL,
  'windows-1254': 'âäçéğıîöşüûß',
  'windows-1257': 'āčēģīķļņšūžąęėįųäöüõåéóćńłśźżß',
  'windows-1251': CYRILLIC,
  'iso-8859-5': CYRILLIC,
  'x-mac-cyrillic': CYRILLIC,
  ibm866: CYRILLIC,
  'koi8-r': CYRILLIC,
  'koi8-u': CYRILLIC,
  'windows-1253': GREEK,
  'iso-8859-7': GREEK,
}

/** The lead bytes of the common characters of an encoding: kana, and the first third of its Han characters. The others are rare. */
const COMMON_LEADS: Readonly<Record<string, readonly (readonly [first: number, last: number])[]>> = {
  gb18030: [[0xb0, 0xd7]],
  big5: [[0xa4, 0xc6]],
  shift_jis: [
    [0x82, 0x83],
    [0x88, 0x97],
  ],
  'euc-jp': [
    [0xa4, 0xa5],
    [0xb0, 0xcf],
  ],
  'euc-kr': [],
}

function usualLetters(encoding: string): (letter: string) => boolean {
  const alphabet = ALPHABETS[encoding]
  if (alphabet !== undefined) return letter => alphabet.includes(letter.toLowerCase())
  const leads = COMMON_LEADS[encoding]
  if (!leads) return () => true
  const common = new Set(leads.flatMap(([first, last]) => charactersFrom(encoding, first, last)))
  return letter => !HAN_OR_KANA.test(letter) || common.has(letter)
}

/** Hangul is left out: all of it is common. */
const HAN_OR_KANA = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]/u

function charactersFrom(encoding: string, firstLead: number, lastLead: number): string[] {
  const decoder = new TextDecoder(encoding)
  // Of GBK, the characters of the older GB 2312 have trail bytes from A1.
  const firstTrail = encoding === 'gb18030' ? 0xa1 : 0x40
  const characters: string[] = []
  for (let lead = firstLead; lead <= lastLead; lead += 1) {
    for (let trail = firstTrail; trail <= 0xfe; trail += 1) {
      characters.push(decoder.decode(Uint8Array.of(lead, trail)))
    }
  }
  return characters
}
