import { UNBUILT_CONSOLE_PATHS } from './console-pages.ts'
import { SIGN_IN } from './page-files.ts'
import { SEARCH_INDEX } from './pages.ts'
import { buildSite, type Site } from './site.ts'

/** For programs. */
export const NO_SUCH_PATH = 'This path does not exist; the admin API is described at /docs.'

/** What the pages are built from, besides the OpenAPI document. */
export interface OperatorSources {
  /** Address of the listener, which the samples call. */
  url: string
  /** Whether /console has the console itself, not pages in its place. */
  hasConsole: boolean
}

/** The pages of the operators' listener: what is there, and the reference of the admin API. */
export function buildOperatorSite(sources: OperatorSources, loadDocument: () => Promise<object>): Site {
  return buildSite({
    paths: ['/', '/docs', ...(sources.hasConsole ? [] : UNBUILT_CONSOLE_PATHS), SEARCH_INDEX],
    files: sources.hasConsole ? [] : [SIGN_IN],
    thread: new URL('operator-pages-thread.ts', import.meta.url),
    sources,
    loadDocument,
    notFoundMessage: NO_SUCH_PATH,
  })
}
