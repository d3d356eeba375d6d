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
  /** Under what else readers may look for it. */
  words: string
}

/** search.js is sent these beside the index, and reads it with them. */
const OPTIONS: Options<Place> = {
  fields: ['guide', 'heading', 'text', 'words'],
  storeFields: ['href', 'guide', 'heading', 'text'],
}

/** What readers call a guide that the guide calls otherwise. */
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

/** An index of every section of the guides, as the JSON that search.js loads. */
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
