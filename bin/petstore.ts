#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Checks the version before it imports the program: an older Node would fail on the first module that it cannot read. Versions before
// 22.18 cannot even read this file; `./petstore` and the npm scripts use the Node that comes with the dependencies.
const major = Number.parseInt(process.versions.node, 10)
if (major < 26) {
  console.error(
    `error: Petstore needs Node 26 (this is ${process.versions.node}); ./petstore and npm start use the right one.`,
  )
  process.exit(1)
}
// The compile cache halves the time of a command. It is not in the temporary folder, where other users could write; if this folder is not
// writable, there is no cache. The threads of the store find it through the variable.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/petstore', import.meta.url))
enableCompileCache(process.env.NODE_COMPILE_CACHE)
const { run } = await import('../src/cli/program.ts')
await run(process.argv)
