#!/usr/bin/env node
import { existsSync } from 'node:fs'
import './check-node.js'

// ./petstore, npm start and npx run this file, possibly with an old Node or before npm ci. Both cases get a clear message.
if (!existsSync(new URL('../node_modules/commander', import.meta.url))) {
  console.error('error: Petstore is not set up yet. Run "npm ci" first.')
  process.exit(1)
}
await import('./own-modules.js')
await import('./main.js')
