import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { connect } from '../src/sqlite/connection.ts'
import { databaseFile } from '../src/sqlite/data-folder/store-files.ts'
import { prepareDatabase } from '../src/sqlite/prepare-database.ts'
import { type Figure, figure, formatTable, isMet } from './figure.ts'
import { emptyFolder } from './stock.ts'

/**
 * Measures time and memory of importing and exporting all animals, and how long another writer has to wait:
 * `node bench/files.ts [--animals 1000000]`. Exits with 1 if a target is missed.
 */
const { values } = parseArgs({ options: { animals: { type: 'string', default: '1000000' } } })
const PROGRAM = fileURLToPath(new URL('../bin/main.js', import.meta.url))
/**
 * By default, V8 allocates about 100 MiB more before its first full garbage collection, however little is in use. A heap of the size below
 * cannot hold a million animals.
 */
const SMALL_HEAP = ['--max-semi-space-size=2', '--max-old-space-size=64']
const MEMORY_GROWTH = 1.25
/** The service's own writes give up after this time. */
const BUSY_TIMEOUT_MS = 5_000
const REPORT_MEMORY = 'data:text/javascript,process.on("exit",()=>console.error(process.resourceUsage().maxRSS))'

if (isMainThread) await main(Number(values.animals))
else keepWriting(workerData as string)

async function main(animals: number): Promise<void> {
  const figures: Figure[] = []
  for (const format of ['ndjson', 'csv']) {
    const free = await importAndExport(format, animals, [])
    const few = await importAndExport(format, animals / 10, SMALL_HEAP)
    const many = await importAndExport(format, animals, SMALL_HEAP)
    for (const step of ['import', 'export'] as const) {
      const growth = many[step].megabytes / few[step].megabytes
      figures.push(
        figure(`${format}: ${step}`, 'animals/s', [animals / free[step].seconds]),
        figure(`${format}: memory of an ${step}`, 'MiB', [free[step].megabytes]),
        figure(`${format}: the same, of that for a tenth of the animals`, 'ratio', [growth], { atMost: MEMORY_GROWTH }),
      )
    }
    figures.push(figure(`${format}: longest wait of another writer`, 'ms', [free.waitMs], { atMost: BUSY_TIMEOUT_MS }))
  }
  console.log(`${animals} animals\n\n${formatTable(figures)}`)
  if (!figures.every(isMet)) process.exitCode = 1
}

/** Imports a new file while another writer repeatedly takes the write lock, and exports its animals. */
async function importAndExport(format: string, animals: number, heap: readonly string[]) {
  using files = emptyFolder()
  using store = emptyFolder()
  const file = (name: string) => join(files.path, `${name}.${format}`)
  await pipeline(texts(format, animals), createWriteStream(file('made')))
  prepareDatabase(store.path, 'production')
  const writer = new Worker(new URL(import.meta.url), { workerData: store.path })
  await once(writer, 'message')
  const imported = await petstore(store.path, heap, ['import', file('made')])
  writer.postMessage('stop')
  const [waitMs] = (await once(writer, 'message')) as [number]
  return { import: imported, export: await petstore(store.path, heap, ['export', file('out')]), waitMs }
}

function* texts(format: string, animals: number): Iterable<string> {
  if (format === 'csv') yield 'name,categoryId,status\n'
  for (let number = 1; number <= animals; number++) {
    yield format === 'csv'
      ? `"Some ""animal"" ${number}",${number % 7},sold\n`
      : `{"name":"Some \\"animal\\" ${number}","categoryId":${number % 7},"status":"sold"}\n`
  }
}

/** Runs one command in a separate process. */
async function petstore(folder: string, heap: readonly string[], words: readonly string[]) {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...heap, '--import', REPORT_MEMORY, PROGRAM, 'pet', ...words], {
    env: { ...process.env, PETSTORE_DATA: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  assert.equal(code, 0, output)
  return { seconds: (performance.now() - startedAt) / 1_000, megabytes: Number(output) / 1_024 }
}

function keepWriting(folder: string): void {
  const database = connect(databaseFile(folder))
  let longestMs = 0
  const timer = setInterval(() => {
    const startedAt = performance.now()
    database.exec('BEGIN IMMEDIATE; UPDATE store SET deployment = deployment; COMMIT')
    longestMs = Math.max(longestMs, performance.now() - startedAt)
  }, 5)
  parentPort?.postMessage('writing')
  parentPort?.once('message', () => {
    clearInterval(timer)
    database.close()
    parentPort?.postMessage(longestMs)
  })
}
