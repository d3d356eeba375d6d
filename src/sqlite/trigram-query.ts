/**
 * The full-text query for texts that contain all trigrams of a part.
 * @param part with at least three characters
 */
export function trigramQuery(part: string): string {
  const characters = [...part]
  const trigrams = new Set(characters.slice(2).map((_, at) => characters.slice(at, at + 3).join('')))
  return [...trigrams].map(trigram => `"${trigram.replaceAll('"', '""')}"`).join(' AND ')
}
