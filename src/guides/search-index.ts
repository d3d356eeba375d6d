import MiniSearch, { type Options } from 'minisearch'
import type { Guide } from './guide.ts'

/** One place that a search can find. */
interface Place {
  id: number
  /** From the folder of the guides. */
  href: string
  guide: string
  heading: string
  text: string
}

/** search.js is sent these beside the index, and reads it with them. */
const OPTIONS: Options<Place> = {
  fields: ['guide', 'heading', 'text'],
  storeFields: ['href', 'guide', 'heading', 'text'],
}

/** An index of every section of the guides, as the JSON that search.js loads. */
export function buildSearchIndex(guides: readonly Guide[]): string {
  const index = new MiniSearch(OPTIONS)
  const places = guides.flatMap(({ name, title, sections }) =>
    sections.map(({ heading, text }) => ({
      href: heading ? `${name}#${heading.anchor}` : name,
      guide: title,
      heading: heading?.text ?? '',
      text,
    })),
  )
  index.addAll(places.map((place, id) => ({ id, ...place })))
  return JSON.stringify({ options: OPTIONS, index })
}
