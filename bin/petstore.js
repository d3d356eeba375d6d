#!/usr/bin/env node
import { existsSync } from 'node:fs'
import './check-node.js'

// ./petstore, npm start and npx run this file, possibly with an old Node or before npm ci. Both cases get a clear message.
if (!existsSync(new URL('../node_modules/commander', import.meta.url))) {
  console.error('error: Petstore is not set up yet. Run "npm ci" first.')
  process.exit(1)
}
// With the cache enabled, Node does not load its TypeScript compiler for the first file.
await import('./compile-cache.js')
await import('./own-modules.js')
await import('./main.js')
