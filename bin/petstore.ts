#!/usr/bin/env node
import './check-node.js'
import './compile-cache.js'

const { run } = await import('../src/cli/run.ts')
await run(process.argv)
