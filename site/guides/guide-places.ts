import type { Place } from '../search-index.ts'
import type { Guide } from './guide.ts'

/** Words that readers use for a guide's topic but that the guide does not contain. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  'quick-start': 'SDK library package update edit',
  authentication: 'token login CORS',
  pages: 'pagination paginate paging offset filter',
  limits: 'rate limiting throttle throttling backoff quota',
  idempotency: 'duplicate deduplicate',
  errors: 'exceptions',
  deprecation: 'sunset migration migrate',
  staging: 'sandbox environment testing',
  'care-for-animals': 'staff edit update remove bulk upload CSV Excel spreadsheet hotkeys',
  'run-the-console': 'administrator login password users permissions proxy TLS',
}

export function placesOfGuide({ name, title, sections }: Guide): Place[] {
  const href = `docs/guides/${name}`
  return sections.map(({ heading, text }) => ({
    href: heading ? `${href}#${heading.anchor}` : href,
    page: title,
    heading: heading?.text ?? '',
    text,
    words: heading ? '' : (OTHER_WORDS[name] ?? ''),
  }))
}
