import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { assetRoute } from '../http/docs-assets/asset-route.ts'
import type { BarLink } from '../http/docs-assets/bar.ts'
import { pageHeaders } from '../http/docs-assets/page-headers.ts'
import { keep } from '../http/keep.ts'
import type { Route } from '../http/routes.ts'
import type { Library } from './library.ts'

/** The guides, as one reads them in turn; each is a file of docs/guides. */
export const GUIDES = [
  'quick-start',
  'authentication',
  'pages',
  'limits',
  'idempotency',
  'errors',
  'deprecation',
  'versioning',
  'staging',
] as const

export const GUIDES_LINK: BarLink = ['docs/guides', 'Guides']

interface Guides {
  /** The service's base address, with /v1, as the texts name it. */
  baseUrl: string
  /** What stands in the bar of every page. */
  links: readonly BarLink[]
}

const HTML = 'text/html; charset=utf-8'
const CSS = 'text/css; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'

/** The files of assets/ that the pages load. */
const STYLES = ['text.css', 'guides.css', 'code.css', 'search.css']
const SCRIPTS = ['guides.js', 'samples.js', 'search.js']

/** The guides as pages, their list, and the search over them. */
export function guideRoutes(guides: Guides): Route[] {
  const loadLibrary = keep(() => renderInThread(guides))
  const headers = pageHeaders()

  function guideRoute(name: string): Route {
    const load = async () => (await loadLibrary()).pages[name] as string
    return assetRoute(`/docs/guides/${name}`, { type: HTML, load, headers })
  }

  return [
    assetRoute('/docs/guides', { type: HTML, load: async () => (await loadLibrary()).list, headers }),
    ...GUIDES.map(guideRoute),
    assetRoute('/docs/search.json', { type: 'application/json', load: async () => (await loadLibrary()).index }),
    ...STYLES.map(name => fileRoute(name, CSS)),
    ...SCRIPTS.map(name => fileRoute(name, SCRIPT)),
    assetRoute('/docs/minisearch.js', {
      type: SCRIPT,
      load: () => readFile(new URL(import.meta.resolve('minisearch'))),
    }),
  ]
}

/** Renders all guides in a thread of its own: it takes long enough to be felt by the calls being served. */
async function renderInThread(guides: Guides): Promise<Library> {
  const workerData = { ...guides, names: GUIDES }
  const thread = new Worker(new URL('library-thread.ts', import.meta.url), { workerData })
  thread.unref()
  const [library] = await once(thread, 'message')
  return library
}

function fileRoute(name: string, type: string): Route {
  return assetRoute(`/docs/${name}`, { type, load: () => readFile(new URL(`assets/${name}`, import.meta.url)) })
}
