#!/usr/bin/env node
// Imports nothing until the version is known: an older Node would stop at the first module that it cannot read. One older than
// 22.18 cannot even read this file; `npx petstore` and the npm scripts find the Node that comes with the dependencies.
const major = Number.parseInt(process.versions.node, 10)
if (major < 26) {
  console.error(`error: Petstore needs Node 26, this is ${process.versions.node}; npx petstore and npm start bring it.`)
  process.exit(1)
}
const { run } = await import('../src/cli/program.ts')
await run(process.argv)
