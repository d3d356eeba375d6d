import { existsSync } from 'node:fs'

// What npm start runs first, with any version of Node. The service starts without its console, too: /console then says what to do.

const isInstalled = existsSync(new URL('../node_modules/commander', import.meta.url))
// If one of these is wrong, bin/petstore.js says so.
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
