/** The networks in a text: one per line, or separated by spaces or commas. */
export function networksOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter(Boolean)
}
