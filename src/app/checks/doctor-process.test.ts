import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../../test/support/folder.ts'
import { StoreUnavailable } from '../../domain/errors.ts'
import { buildDoctor } from './doctor-process.ts'

test('calls that come while the doctor runs share its findings; a later call examines again', async t => {
  const examine = await prepare(t)
  const first = examine()
  assert.equal(examine(), first)
  const findings = await first
  assert.deepEqual(findings[0], {
    check: 'settings',
    outcome: 'ok',
    message: 'All settings are valid. They were read from the environment alone.',
  })
  const second = examine()
  assert.notEqual(second, first)
  await second
})

test('findings of checks that failed are returned, although the program then fails', async t => {
  const examine = await prepare(t, { PETSTORE_PORT: 'x' })
  const [settings] = await examine()
  assert.equal(settings?.outcome, 'fail')
})

test('a doctor that is killed is unavailable', async t => {
  const closing = new AbortController()
  const examine = await prepare(t, {}, closing.signal)
  const examined = examine()
  closing.abort()
  await assert.rejects(examined, StoreUnavailable)
})

async function prepare(t: TestContext, settings = {}, signal = new AbortController().signal) {
  const env = { PATH: process.env.PATH, PETSTORE_DATA: await temporaryFolder(t), ...settings }
  return buildDoctor(env, signal)
}
