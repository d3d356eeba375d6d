import { UNBUILT_CONSOLE_PATHS } from './console-paths.ts'
import { guidePaths } from './guides/guide-paths.ts'
import { OPERATOR_GUIDES } from './guides/guides.ts'
import { PICTURES } from './guides/pictures.ts'
import { SIGN_IN } from './page-files.ts'
import { SEARCH_INDEX } from './pages.ts'
import { buildSite, type Site } from './site.ts'

/** Shown to programs. */
export const NO_SUCH_PATH = 'This path does not exist; the admin API is described at /docs.'

/** The inputs for building the pages, in addition to the OpenAPI document. */
export interface OperatorSources {
  /** The address of the listener, for samples. */
  url: string
  /** Whether /console serves the built console. If not, it serves pages that explain how to build it. */
  hasConsole: boolean
}

/** The pages of the operators' listener: the home page, the guides to the console, and the reference of the admin API. */
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
