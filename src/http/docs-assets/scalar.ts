import { assetRoute } from './asset-route.ts'
import { loadInThread } from './load-in-thread.ts'

/** Scalar's script for browsers. */
export const SCALAR = assetRoute('/docs/scalar.js', {
  type: 'text/javascript; charset=utf-8',
  load: () => loadInThread<Uint8Array>(new URL('scalar-thread.ts', import.meta.url)),
})
