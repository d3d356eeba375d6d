const CHARACTERS = [
  ...codes(0x00, 0x100),
  // White space, and characters next to it or similar to it.
  ...codes(0x167f, 0x1682),
  ...codes(0x180e, 0x180f),
  ...codes(0x1fff, 0x2010),
  ...codes(0x2026, 0x2031),
  ...codes(0x205e, 0x2066),
  ...codes(0x2fff, 0x3002),
  ...['\u0301', '\u3164', '\ufe0f', '\ufeff', '\ufffd', '\uffff'],
  // More than 16 bits.
  ...['🐕', '𝒳', '\u{10000}', '\u{e0001}', '\u{10ffff}'],
  // Halves of surrogate pairs.
  ...['\ud800', '\udbff', '\udc00', '\udfff'],
]

const LENGTHS = [2, 63, 64, 99, 100, 101, 127, 128, 254, 255, 256]

/** Texts on which two different patterns are likely to disagree. */
export const EDGE_TEXTS: readonly string[] = [
  '',
  ...CHARACTERS.flatMap(one => [one, `R${one}`, `${one}x`, ` ${one} `, `${one}5`, `5${one}`, one.repeat(2)]),
  ...LENGTHS.flatMap(length =>
    ['x', '🐕', ' ', '\u2028'].flatMap(one => [one.repeat(length), `${one.repeat(length - 1)}R`]),
  ),
  ...['42', '-42', '007', '-', '1e3', '12-34', ' 42 ', '4 2', '9223372036854775808', '-9223372036854775808', '٣'],
  ...['day', 'day,account', 'day,day', 'day,', ',day', 'day, key', 'Day'],
  ...[
    '2030-12-31',
    '2030-12-31T18:00:00Z',
    '2030-12-31T18:00:00.5+01:00',
    '2030-12-31 18:00:00Z',
    '2030-12-31T18:00:00Z[UTC]',
  ],
]

function codes(first: number, end: number): string[] {
  return Array.from({ length: end - first }, (_, index) => String.fromCodePoint(first + index))
}
