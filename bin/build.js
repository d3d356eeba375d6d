import { existsSync } from 'node:fs'

// Builds what the service serves but does not render: the console and the pages. npm ci runs this script last, and npm start first, possibly with an
// old version of Node. Without the console or the pages, the service still starts, and says what to do.

const isInstalled = existsSync(new URL('../node_modules/commander', import.meta.url))
// Otherwise, bin/petstore.js reports the problem.
if (isInstalled && Number.parseInt(process.versions.node, 10) >= 26) {
  await import('./compile-cache.js')
  await build('console', () => import('../console/build.ts').then(({ buildConsole }) => buildConsole(undefined, say)))
  await build('pages', () => import('../site/build.ts').then(({ buildSite }) => buildSite(undefined, say)))
}

function say(text) {
  console.error(text)
}

async function build(what, run) {
  try {
    await run()
  } catch (error) {
    const { code, message } = error
    const hint = code === 'ERR_MODULE_NOT_FOUND' ? ' Run "npm ci" without --omit=dev.' : ''
    console.error(`warning: The ${what} could not be built.${hint} ${message}`)
  }
}
