import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/folder.ts'
import { UserError } from '../domain/errors.ts'
import { isServedByAnother, isServing, lockForServing } from './serving-lock.ts'

test('one service at a time serves a folder; the next gets the reason in one line', async t => {
  const folder = await temporaryFolder(t)
  const release = lockForServing(folder)
  t.after(release)
  assert.throws(
    () => lockForServing(folder),
    (error: Error) => error instanceof UserError && error.message.includes(folder) && !error.message.includes('\n'),
  )
})

test('services on different folders do not affect each other', async t => {
  t.after(lockForServing(await temporaryFolder(t)))
  t.after(lockForServing(await temporaryFolder(t)))
})

test('a folder is free again when its service has released it', async t => {
  const folder = await temporaryFolder(t)
  lockForServing(folder)()
  t.after(lockForServing(folder))
})

test('a folder that this process has released may be served by another', async t => {
  const folder = await temporaryFolder(t)
  lockForServing(folder)()
  using other = new DatabaseSync(join(folder, 'serving.lock'))
  assert.equal(isServedByAnother(folder), false)
  other.exec('BEGIN EXCLUSIVE')
  assert.equal(isServedByAnother(folder), true)
})

test('a folder is free again when its service was killed', async t => {
  const folder = await temporaryFolder(t)
  const module = JSON.stringify(new URL('serving-lock.ts', import.meta.url))
  const script = `
    import { isServing, lockForServing } from ${module}
    lockForServing(${JSON.stringify(folder)})
    console.log('locked')
    setInterval(() => {}, 1_000)`
  const child = spawn(process.execPath, ['--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  assert.throws(() => lockForServing(folder), UserError)
  child.kill('SIGKILL')
  await once(child, 'exit')
  t.after(lockForServing(folder))
})

test('a lock is held for as long as its process lives, even if nothing refers to its release', async t => {
  const folder = await temporaryFolder(t)
  const module = JSON.stringify(new URL('serving-lock.ts', import.meta.url))
  const script = `
    import { lockForServing } from ${module}
    lockForServing(${JSON.stringify(folder)})
    await new Promise(resolve => setTimeout(resolve))
    gc()
    console.log('locked')
    setInterval(() => {}, 1_000)`
  const child = spawn(process.execPath, ['--expose-gc', '--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  assert.ok(isServing(folder))
})

test('checking whether a service is running changes nothing, and does not affect its lock', async t => {
  const folder = await temporaryFolder(t)
  assert.ok(!isServing(folder))
  assert.deepEqual(await readdir(folder), [])
  const release = lockForServing(folder)
  assert.ok(isServing(folder))
  assert.ok(isServing(folder))
  release()
  assert.ok(!isServing(folder))
  assert.equal((await stat(join(folder, 'serving.lock'))).mode & 0o777, 0o600)
})

test('a file that is not a lock, or cannot be one, is not mistaken for another service', async t => {
  const isOwnMessage = (error: Error) =>
    error instanceof UserError &&
    /serving\.lock cannot be acquired \(.+\)/.test(error.message) &&
    !/running/.test(error.message)
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'serving.lock'), 'rubbish')
  assert.throws(() => lockForServing(folder), isOwnMessage)
  assert.throws(() => isServing(folder), isOwnMessage)
  assert.equal(await readFile(join(folder, 'serving.lock'), 'utf8'), 'rubbish')
  const other = await temporaryFolder(t)
  await mkdir(join(other, 'serving.lock'))
  assert.throws(() => lockForServing(other), isOwnMessage)
  assert.throws(
    () => lockForServing(join(folder, 'serving.lock', 'none')),
    (error: Error) =>
      error instanceof UserError && /cannot be written \(part of the path is not a folder\)/.test(error.message),
  )
})
