import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Mistake } from '../domain/errors.ts'
import { lockForServing } from './serving-lock.ts'

test('one service at a time serves a folder; the next is told in one line why not', async t => {
  const folder = await temporaryFolder(t)
  const release = lockForServing(folder)
  t.after(release)
  assert.throws(
    () => lockForServing(folder),
    (error: Error) => error instanceof Mistake && error.message.includes(folder) && !error.message.includes('\n'),
  )
})

test('services on different folders do not meet', async t => {
  t.after(lockForServing(await temporaryFolder(t)))
  t.after(lockForServing(await temporaryFolder(t)))
})

test('a folder is free again when its service has given it back', async t => {
  const folder = await temporaryFolder(t)
  lockForServing(folder)()
  t.after(lockForServing(folder))
})

test('a folder is free again when its service was killed', async t => {
  const folder = await temporaryFolder(t)
  const module = JSON.stringify(new URL('serving-lock.ts', import.meta.url))
  const script = `
    import { lockForServing } from ${module}
    lockForServing(${JSON.stringify(folder)})
    console.log('locked')
    setInterval(() => {}, 1_000)`
  const child = spawn(process.execPath, ['--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  assert.throws(() => lockForServing(folder), Mistake)
  child.kill('SIGKILL')
  await once(child, 'exit')
  t.after(lockForServing(folder))
})

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-lock-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}
