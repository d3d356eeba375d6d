import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { temporaryFolder } from '../../test/support/folder.ts'
import { UserError } from '../domain/errors.ts'
import { isPackedError, unpackError } from '../domain/thread-error.ts'
import { identifyFiles } from './data-folder/file-identity.ts'
import { databaseFile } from './data-folder/store-files.ts'
import { SqliteStore } from './store.ts'
import { Thread } from './thread.ts'

/** Answers with the request, and fails at 'fail'. */
const ECHO = new URL(
  `data:text/javascript,${encodeURIComponent(`
  import { parentPort } from 'node:worker_threads'
  parentPort.on('message', request => {
    if (request === 'fail') throw new Error('on purpose')
    parentPort.postMessage({ result: request })
  })`)}`,
)

test('sqlite: after a failure of a thread, the next request starts another', async t => {
  const thread = new Thread<string, string>(ECHO)
  t.after(() => thread.close())
  assert.equal(await thread.ask('first'), 'first')
  await assert.rejects(thread.ask('fail'), error => error instanceof Error && /on purpose/.test(String(error.cause)))
  assert.equal(await thread.ask('second'), 'second')
})

test('sqlite: a thread that has been closed answers nothing', async () => {
  const thread = new Thread<string, string>(ECHO)
  const underway = assert.rejects(thread.ask('first'), /The thread has stopped/)
  await thread.close()
  await underway
  await assert.rejects(thread.ask('second'), /The thread has ended/)
})

test('sqlite: the writer thread posts the error of a write once, beside the results of the others', async t => {
  const folder = await temporaryFolder(t)
  const path = databaseFile(folder)
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  t.after(() => store.close())
  const workerData = { path, files: identifyFiles(path) }
  const writer = new Worker(new URL('writer-thread.ts', import.meta.url), { workerData })
  t.after(() => writer.terminate())
  const gone = { hash: 'hash', accountId: 404n, hint: 'hint', name: undefined, scope: 'read', expiresAt: undefined }
  const entry = { at: 1, actor: 'Anna', origin: 'test', action: 'key.issue', details: {} }
  writer.postMessage([['touch'], ['createKey', gone, entry]])
  const [{ result }] = (await once(writer, 'message')) as [{ result: unknown[] }]
  const outcomes = result.map(one => (isPackedError(one) ? unpackError(one) : one))
  assert.deepEqual(outcomes, [undefined, new UserError('not_found', 'The account with id 404 no longer exists.')])
})
