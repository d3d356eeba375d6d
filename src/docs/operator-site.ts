import { UNBUILT_CONSOLE_PATHS } from './console-paths.ts'
import { guidePaths } from './guides/guide-paths.ts'
import { OPERATOR_GUIDES } from './guides/guides.ts'
import { PICTURES } from './guides/pictures.ts'
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

/** The pages of the operators' listener: what is there, the guides to the console, and the reference of the admin API. */
export function buildOperatorSite(sources: OperatorSources, loadDocument: () => Promise<object>): Site {
  const unbuilt = sources.hasConsole ? [] : UNBUILT_CONSOLE_PATHS
  return buildSite({
    paths: ['/', '/docs', ...guidePaths(OPERATOR_GUIDES), ...unbuilt, SEARCH_INDEX],
    files: [...PICTURES, ...(sources.hasConsole ? [] : [SIGN_IN])],
    thread: new URL('operator-pages-thread.ts', import.meta.url),
    sources,
    loadDocument,
    notFoundMessage: NO_SUCH_PATH,
  })
}
