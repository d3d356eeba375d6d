import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
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
 * `node bench/pet-import.ts [--animals 1000000]`. Exits with 1 if a target is missed, and fails if an animal comes back changed.
 */

const PROGRAM = fileURLToPath(new URL('../bin/petstore.ts', import.meta.url))
const { values } = parseArgs({ options: { animals: { type: 'string', default: '1000000' } } })
const MANY = Number(values.animals)
const FEW = MANY / 10
/**
 * By default, V8 allocates about 100 MiB more before its first full garbage collection, however little is in use. A heap of the size below
 * cannot hold a million animals.
 */
const SMALL_HEAP = ['--max-semi-space-size=2', '--max-old-space-size=64']
const MEMORY_GROWTH = 1.25
/** The service's own writes give up after this time. */
const BUSY_TIMEOUT_MS = 5_000
const BATCH = 1_000
const REPORT_MEMORY = 'data:text/javascript,process.on("exit",()=>console.error(process.resourceUsage().maxRSS))'

if (isMainThread) await main()
else keepWriting(workerData as string)

async function main(): Promise<void> {
  const figures: Figure[] = []
  for (const format of ['ndjson', 'csv']) {
    const free = await roundTrip(format, MANY, [])
    const few = await roundTrip(format, FEW, SMALL_HEAP)
    const many = await roundTrip(format, MANY, SMALL_HEAP)
    const rate = (seconds: number) => MANY / seconds
    figures.push(
      figure(`${format}: import`, 'animals/s', [rate(free.importing.seconds), rate(free.reimporting.seconds)]),
      figure(`${format}: export`, 'animals/s', [rate(free.exporting.seconds)]),
      figure(`${format}: memory of an import`, 'MiB', [free.importing.megabytes, free.reimporting.megabytes]),
      figure(`${format}: memory of an export`, 'MiB', [free.exporting.megabytes]),
      figure(
        `${format}: memory of an import, of that for a tenth of the animals`,
        'ratio',
        [many.importing.megabytes / few.importing.megabytes, many.reimporting.megabytes / few.reimporting.megabytes],
        { atMost: MEMORY_GROWTH },
      ),
      figure(
        `${format}: memory of an export, of that for a tenth of the animals`,
        'ratio',
        [many.exporting.megabytes / few.exporting.megabytes],
        { atMost: MEMORY_GROWTH },
      ),
      figure(`${format}: longest wait of another writer`, 'ms', [free.importing.waitMs, free.reimporting.waitMs], {
        atMost: BUSY_TIMEOUT_MS,
      }),
    )
  }
  console.log(`${MANY} animals\n\n${formatTable(figures)}`)
  if (!figures.every(isMet)) process.exitCode = 1
}

/** Creates a file, imports and exports it, imports that export into an empty store, exports again, and compares the two exports. */
async function roundTrip(format: string, animals: number, heap: readonly string[]) {
  using files = emptyFolder()
  using first = emptyFolder()
  using second = emptyFolder()
  const file = (name: string) => join(files.path, `${name}.${format}`)
  await pipeline(texts(format, animals), createWriteStream(file('made')))
  const importing = await besideWriter(first.path, heap, ['import', file('made')])
  const exporting = await petstore(first.path, heap, ['export', file('out')])
  const reimporting = await besideWriter(second.path, heap, ['import', file('out')])
  await petstore(second.path, heap, ['export', file('again')])
  await assertSame(file('out'), file('again'))
  return { importing, exporting, reimporting }
}

function* texts(format: string, animals: number): Iterable<string> {
  if (format === 'csv') yield 'name,categoryId,status\n'
  for (let from = 0; from < animals; from += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, animals - from) }, (_, index) => from + index)
    const lines = numbers.map(number =>
      format === 'csv'
        ? `"Some ""animal"" ${number}",${number % 7},sold\n`
        : `{"name":"Some \\"animal\\" ${number}","categoryId":${number % 7},"status":"sold"}\n`,
    )
    yield lines.join('')
  }
}

/** Runs one command in a separate process. */
async function petstore(
  folder: string,
  heap: readonly string[],
  words: readonly string[],
): Promise<{ seconds: number; megabytes: number }> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...heap, '--import', REPORT_MEMORY, PROGRAM, 'pet', ...words], {
    env: { ...process.env, PETSTORE_DATA: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  assert.equal(code, 0, output)
  return { seconds: (performance.now() - startedAt) / 1_000, megabytes: Number(output) / 1_024 }
}

/** Runs a command while another writer repeatedly takes the write lock. Also returns that writer's longest wait. */
async function besideWriter(folder: string, heap: readonly string[], words: readonly string[]) {
  prepareDatabase(folder, 'production')
  const writer = new Worker(new URL(import.meta.url), { workerData: folder })
  await once(writer, 'message')
  const measured = await petstore(folder, heap, words)
  writer.postMessage('stop')
  const [waitMs] = (await once(writer, 'message')) as [number]
  return { ...measured, waitMs }
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

async function assertSame(file: string, other: string): Promise<void> {
  const others = createReadStream(other)[Symbol.asyncIterator]()
  for await (const chunk of createReadStream(file)) assert.deepEqual((await others.next()).value, chunk)
  assert.equal((await others.next()).done, true)
}
