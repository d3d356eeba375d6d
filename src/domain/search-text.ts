import { invalid } from './errors.ts'
import { fold } from './fold.ts'

/**
 * Returns a text to search for, as it is.
 * @throws UserError when a search compares none of it, so that every name would match
 */
export function parseSearchText(text: string): string {
  if (fold(text) !== '') return text
  throw invalid('Searches ignore accents and invisible characters; the text must have at least one other character.')
}
