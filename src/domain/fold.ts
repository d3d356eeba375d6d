/** The form in which account names are compared: case and normal form are ignored. It is in capitals: ß becomes SS, ς becomes Σ. */
export function nameKeyOf(name: string): string {
  return name.normalize('NFKC').toUpperCase().normalize('NFKC')
}

/** Letters that Unicode does not decompose, and what people type instead. */
const PLAIN: Readonly<Record<string, string>> = { Ø: 'O', Ł: 'L', Đ: 'D', Ħ: 'H', Ŧ: 'T', Æ: 'AE', Œ: 'OE' }

/** The form in which text is searched: without case, normal form, and the accents of Latin, Greek and Cyrillic letters. */
export function fold(text: string): string {
  if (/^[ -~]*$/.test(text)) return text.toUpperCase()
  const bare = nameKeyOf(text)
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
  return bare.normalize('NFKC').replaceAll(/[ØŁĐĦŦÆŒ]/g, letter => PLAIN[letter] as string)
}
