import assert from 'node:assert/strict'
import { readdirSync, readlinkSync } from 'node:fs'
import { mkdir, rm, truncate, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { pino } from 'pino'
import { eventually } from '../../test/support/eventually.ts'
import { temporaryFolder } from '../../test/support/folder.ts'
import { Call } from '../http/call.ts'
import { Listener } from '../http/listener.ts'
import { Refusal } from '../http/refusal.ts'
import { serveCalls } from '../http/server.ts'
import { downloadRoutes, storedName } from './download-routes.ts'

const SUM = 'a'.repeat(64)
const NAME = 'petstore-client-1.2.0.tgz'

test('a release may be cached for a year, and a development version must be revalidated', async t => {
  const cacheControlOf = async (name: string) => {
    const { routes } = await makeFolder(t, name)
    const { headers, body } = await handle(routes)
    if (body instanceof Readable) body.destroy()
    return headerOf(headers, 'Cache-Control')
  }
  for (const name of [NAME, 'petstore_client-1.2.0-py3-none-any.whl'])
    assert.equal(await cacheControlOf(name), 'public, max-age=31536000, immutable', name)
  for (const name of ['petstore-client-1.2.0-dev.tgz', 'petstore_client-1.2.0.dev0-py3-none-any.whl'])
    assert.equal(await cacheControlOf(name), 'no-cache', name)
})

test('without the folder, or with other files in it, there are no such routes', async t => {
  const { folder } = await makeFolder(t, NAME)
  await writeFile(join(folder, 'notes.txt'), '')
  assert.deepEqual(
    downloadRoutes('/clients/', pathToFileURL(`${folder}/`)).map(({ path }) => path),
    [`/clients/${NAME}`],
  )
  assert.deepEqual(downloadRoutes('/clients/', pathToFileURL(join(folder, 'missing/'))), [])
})

test('a file that is missing is refused, and the reason is for the log', async t => {
  const { folder, routes } = await makeFolder(t, NAME)
  await rm(join(folder, storedName(SUM, NAME)))
  await assert.rejects(handle(routes), (error: unknown) => {
    assert.ok(error instanceof Refusal)
    assert.equal(error.status, 404)
    assert.equal(error.headers['Cache-Control'], 'no-cache')
    assert.match(error.message, /missing on the server/)
    assert.ok(!error.message.includes(folder), 'the client does not learn the path')
    assert.ok(error.reason?.includes(storedName(SUM, NAME)))
    return true
  })
})

test('a file that cannot be read is an error, and not a missing file', async t => {
  const { folder, routes } = await makeFolder(t, NAME)
  await rm(join(folder, storedName(SUM, NAME)))
  await mkdir(join(folder, storedName(SUM, NAME)))
  const answer = await handle(routes).catch(error => error)
  assert.ok(!(answer instanceof Refusal))
  if (answer.body instanceof Readable) await assert.rejects(answer.body.toArray(), { code: 'EISDIR' })
})

test('a client that reads slowly keeps nothing but an open file, which is closed when it leaves', async t => {
  if (process.platform !== 'linux') return t.skip('needs /proc')
  const { folder, routes } = await makeFolder(t, NAME)
  const file = join(folder, storedName(SUM, NAME))
  const bytes = 200_000_000
  await truncate(file, bytes)
  const port = await serve(t, routes)
  const before = process.memoryUsage().external
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.write(`GET /clients/${NAME} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await new Promise(resolve => socket.once('readable', resolve))
  assert.match(String(socket.read()), new RegExp(`^HTTP/1.1 200 [^]*\r\nContent-Length: ${bytes}\r\n`))
  socket.pause()
  assert.deepEqual(openFiles(folder), [file])
  assert.ok(process.memoryUsage().external - before < bytes / 10)
  socket.resetAndDestroy()
  await eventually(() => assert.deepEqual(openFiles(folder), []))

  const head = connect(port, '127.0.0.1')
  t.after(() => head.destroy())
  head.end(`HEAD /clients/${NAME} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  const [answered] = await head.toArray()
  assert.match(String(answered), new RegExp(`\r\nContent-Length: ${bytes}\r\n[^]*\r\n\r\n$`))
  await eventually(() => assert.deepEqual(openFiles(folder), []))
})

async function makeFolder(t: TestContext, name: string) {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, storedName(SUM, name)), 'content')
  return { folder, routes: downloadRoutes('/clients/', pathToFileURL(`${folder}/`)) }
}

async function handle([route]: ReturnType<typeof downloadRoutes>) {
  const answer = await route?.operations.GET?.handle({ request: { headers: {} } } as unknown as Call)
  assert.ok(answer)
  if (answer.body instanceof Readable) answer.body.on('error', () => {})
  return answer
}

function headerOf(headers: readonly string[], name: string): string | undefined {
  return headers[headers.indexOf(name) + 1]
}

async function serve(t: TestContext, [route]: ReturnType<typeof downloadRoutes>): Promise<number> {
  const listener = new Listener()
  const url = await listener.open('127.0.0.1', 0)
  t.after(() => listener.close())
  serveCalls(listener, {
    api: {
      Call,
      answer: call => route?.operations.GET?.handle(call) ?? assert.fail(),
      linesOf: () => '',
      onIncomplete: (_, refusal, refuse) => refuse(refusal),
      onUnparsed: (_, refusal) => ({ refusal, lines: '' }),
    },
    log: pino({ enabled: false }),
    onAnswered: () => {},
    isStopping: () => false,
    now: Date.now,
  })
  return Number(new URL(url).port)
}

/** The files below a folder that this process has open. */
function openFiles(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap(descriptor => {
    try {
      const file = readlinkSync(`/proc/self/fd/${descriptor}`)
      return file.startsWith(folder) ? [file] : []
    } catch {
      return []
    }
  })
}
