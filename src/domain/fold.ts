/** The name of an account as it is compared with others: in any case and normal form. In capitals, ß is SS and ς is Σ. */
export function nameKeyOf(name: string): string {
  return name.normalize('NFKC').toUpperCase().normalize('NFKC')
}

/** Letters that Unicode does not take apart, and what people type for them. */
const PLAIN: Readonly<Record<string, string>> = { Ø: 'O', Ł: 'L', Đ: 'D', Ħ: 'H', Ŧ: 'T', Æ: 'AE', Œ: 'OE' }

/** A text as it is searched: in any case and normal form, and without the accents of Latin, Greek and Cyrillic letters. */
export function fold(text: string): string {
  if (/^[ -~]*$/.test(text)) return text.toUpperCase()
  const bare = nameKeyOf(text)
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
  return bare.normalize('NFKC').replaceAll(/[ØŁĐĦŦÆŒ]/g, letter => PLAIN[letter] as string)
}
