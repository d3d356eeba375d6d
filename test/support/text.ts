import fc from 'fast-check'

const FIRST_SURROGATE = 0xd800
const SURROGATES = 0x800

/** Every code point that a text can contain: all but the surrogates. */
const codePoint = fc
  .integer({ min: 0, max: 0x10_ffff - SURROGATES })
  .map(number => String.fromCodePoint(number < FIRST_SURROGATE ? number : number + SURROGATES))

/**
 * Any text, including names that are special in JavaScript (`__proto__`). Like `fc.string({ unit: 'binary' })`, which first goes through all of
 * Unicode and takes a second for that.
 */
export function anyText(lengths: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.oneof(fc.string({ unit: codePoint, ...lengths }), fc.string({ unit: 'binary-ascii', ...lengths }))
}
