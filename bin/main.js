#!/usr/bin/env node
import './check-node.js'
import './check-folder.js'
import './compile-cache.js'

const { run } = await import('../src/cli/run.ts')
await run(process.argv)
