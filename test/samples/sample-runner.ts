import { readFile } from 'node:fs/promises'
import { formatWithOptions } from 'node:util'
import type { SampleCall, SampleEnding } from './run-samples.ts'

/** Runs samples in TypeScript one after another, as modules of one process: node sample-runner.ts CALLS. Prints how they ended, as JSON. */

const calls: SampleCall[] = JSON.parse(await readFile(process.argv[2] as string, 'utf8'))
const endings: SampleEnding[] = []
const print = console.log
for (const { file, env } of calls) {
  Object.assign(process.env, env)
  let output = ''
  let errors = ''
  let hasFailed = false
  console.log = (...values) => {
    output += `${formatWithOptions({ colors: false }, ...values)}\n`
  }
  console.error = (...values) => {
    errors += `${formatWithOptions({ colors: false }, ...values)}\n`
  }
  const startedAt = performance.now()
  try {
    await import(file)
  } catch (error) {
    hasFailed = true
    console.error(error)
  }
  endings.push({ output, errors, hasFailed, seconds: (performance.now() - startedAt) / 1_000 })
}
print(JSON.stringify(endings))
