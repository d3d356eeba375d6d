import MiniSearch, { type Options } from 'minisearch'
import type { Guide } from './guide.ts'

/** One search result. */
interface Place {
  id: number
  /** Relative to the guides' folder. */
  href: string
  guide: string
  heading: string
  text: string
  /** Other words that readers may search for. */
  words: string
}

/** search.js needs the same options to read the index, so they are sent with it. */
const OPTIONS: Options<Place> = {
  fields: ['guide', 'heading', 'text', 'words'],
  storeFields: ['href', 'guide', 'heading', 'text'],
}

/** Words that readers use for a guide's topic and the guide does not. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  'quick-start': 'SDK library package update edit',
  authentication: 'token login CORS',
  pages: 'pagination paginate paging offset filter',
  limits: 'rate limiting throttle throttling backoff quota',
  idempotency: 'duplicate deduplicate',
  errors: 'exceptions',
  deprecation: 'sunset migration migrate',
  staging: 'sandbox environment testing',
}

/** The search index over all sections of the guides, as JSON for search.js. */
export function buildSearchIndex(guides: readonly Guide[]): string {
  const index = new MiniSearch(OPTIONS)
  const places = guides.flatMap(({ name, title, sections }) =>
    sections.map(({ heading, text }) => ({
      href: heading ? `${name}#${heading.anchor}` : name,
      guide: title,
      heading: heading?.text ?? '',
      text,
      words: heading ? '' : (OTHER_WORDS[name] ?? ''),
    })),
  )
  index.addAll(places.map((place, id) => ({ id, ...place })))
  return JSON.stringify({ options: OPTIONS, index })
}
