#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Imports nothing of its own until the version is known: an older Node would stop at the first module that it cannot read. One older than
// 22.18 cannot even read this file; `npx petstore` and the npm scripts find the Node that comes with the dependencies.
const major = Number.parseInt(process.versions.node, 10)
if (major < 26) {
  console.error(`error: Petstore needs Node 26, this is ${process.versions.node}; npx petstore and npm start bring it.`)
  process.exit(1)
}
// Halves the time that a command takes. Not in the folder for temporary files, where others could write; where it cannot be kept, it is not.
// The threads that the store works in learn of the folder by the variable alone.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/petstore', import.meta.url))
enableCompileCache(process.env.NODE_COMPILE_CACHE)
const { run } = await import('../src/cli/program.ts')
await run(process.argv)
