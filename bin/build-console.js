import { existsSync } from 'node:fs'

// npm start runs this script first, possibly with an old version of Node. Without the console, the service still starts, and /console says
// what to do.

const isInstalled = existsSync(new URL('../node_modules/commander', import.meta.url))
// Otherwise, bin/petstore.js reports the problem.
if (isInstalled && Number.parseInt(process.versions.node, 10) >= 26) {
  try {
    const { buildConsole } = await import('../console/build.ts')
    await buildConsole()
  } catch (error) {
    const { code, message } = error
    const hint = code === 'ERR_MODULE_NOT_FOUND' ? ' Run "npm ci" without --omit=dev.' : ''
    console.error(`warning: The console could not be built.${hint} ${message}`)
  }
}
