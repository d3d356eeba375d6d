import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadInThread } from './load-in-thread.ts'

const post = (expression: string) =>
  `import { parentPort, workerData } from 'node:worker_threads'; parentPort.postMessage(${expression})`

test('a thread posts what it has loaded', async () => {
  assert.equal(await loadInThread(thread(post('workerData.a + 1')), { a: 1 }), 2)
})

test('a thread that fails, or ends without a word, is a failed load', { timeout: 10_000 }, async () => {
  await assert.rejects(loadInThread(thread('throw new TypeError("no such file")')), /^TypeError: no such file$/)
  await assert.rejects(loadInThread(thread('process.exit()')), /^Error: The thread .+ ended without a message\.$/)
})

function thread(source: string): URL {
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`)
}
