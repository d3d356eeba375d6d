import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { StoreFull, StoreUnavailable } from '../domain/errors.ts'
import type { BatchRunner } from './batches.ts'
import { Writer } from './writer.ts'
import type { WriteCall } from './writes.ts'

test('sqlite: writes that arrive while the disk is busy are one batch', async () => {
  const disk = new Disk()
  const commits: number[] = []
  const writer = new Writer(disk, writes => commits.push(writes))
  const first = writer.write('touch')
  await disk.isBusy()
  const others = [writer.write('touch'), writer.write('deleteExpired', 1, 2)]
  disk.finish([undefined])
  await first
  await disk.isBusy()
  assert.deepEqual(disk.batch, [['touch'], ['deleteExpired', 1, 2]])
  disk.finish([undefined, true])
  assert.deepEqual(await Promise.all(others), [undefined, true])
  assert.deepEqual(commits, [1, 2])
})

test('sqlite: a batch that fails as a whole fails its writes, and not those after it', async () => {
  const disk = new Disk()
  const writer = new Writer(disk, () => {})
  const failing = [writer.write('touch'), writer.write('probe')]
  await disk.isBusy()
  const next = writer.write('touch')
  disk.fail(new Error('The writer has stopped.'))
  for (const { reason } of (await Promise.allSettled(failing)) as PromiseRejectedResult[]) {
    assert.ok(reason instanceof StoreUnavailable)
  }
  assert.equal(writer.hasFailed, true)
  await disk.isBusy()
  disk.finish([undefined])
  await next
  assert.equal(writer.hasFailed, false)
})

test('sqlite: a disk that was too full for a write is full for some time, even if smaller writes fit', async t => {
  t.mock.method(performance, 'now', () => 0)
  const disk = new Disk()
  const writer = new Writer(disk, () => {})
  const write = (outcome?: Error) => {
    const written = writer.write('probe')
    void disk.isBusy().then(() => disk.finish([outcome]))
    return written
  }
  await write()
  writer.fullDisk.ensureNone()
  await assert.rejects(write(new StoreFull(new Error('database or disk is full'))), StoreFull)
  await write()
  assert.throws(() => writer.fullDisk.ensureNone(), StoreFull)
})

/** A disk that completes writes when the test says so. */
class Disk implements BatchRunner {
  batch: readonly WriteCall[] | undefined
  #running = Promise.withResolvers<unknown[]>()

  run(batch: readonly WriteCall[]): Promise<unknown[]> {
    this.batch = batch
    this.#running = Promise.withResolvers()
    return this.#running.promise
  }

  async close(): Promise<void> {}

  isBusy(): Promise<void> {
    return eventually(() => assert.ok(this.batch))
  }

  finish(outcomes: unknown[]): void {
    this.batch = undefined
    this.#running.resolve(outcomes)
  }

  fail(reason: Error): void {
    this.batch = undefined
    this.#running.reject(reason)
  }
}
