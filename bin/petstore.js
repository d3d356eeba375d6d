#!/usr/bin/env node
import { existsSync } from 'node:fs'
import './check-node.js'

// What ./petstore, npm start and npx run, possibly with an old Node or before npm ci: both get a clear message.
if (!existsSync(new URL('../node_modules/commander', import.meta.url))) {
  console.error('error: Petstore is not set up yet. Run "npm ci" first.')
  process.exit(1)
}
// With the cache on, Node need not load its compiler for the first file in TypeScript.
await import('./compile-cache.js')
await import('./own-modules.js')
await import('./petstore.ts')
