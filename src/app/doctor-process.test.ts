import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/folder.ts'
import { StoreUnavailable } from '../domain/errors.ts'
import { DoctorProcess } from './doctor-process.ts'

test('calls that come while the doctor runs share its findings; a later call examines again', async t => {
  const doctor = new DoctorProcess({ PATH: process.env.PATH, PETSTORE_DATA: await temporaryFolder(t) })
  const first = doctor.examine()
  assert.equal(doctor.examine(), first)
  const findings = await first
  assert.deepEqual(findings[0], { check: 'settings', outcome: 'ok', message: 'All settings are valid.' })
  const second = doctor.examine()
  assert.notEqual(second, first)
  await second
})

test('findings of checks that failed are returned, although the program then fails', async t => {
  const doctor = new DoctorProcess({
    PATH: process.env.PATH,
    PETSTORE_DATA: await temporaryFolder(t),
    PETSTORE_PORT: 'x',
  })
  const [settings] = await doctor.examine()
  assert.equal(settings?.outcome, 'fail')
})

test('a doctor that is killed is unavailable', async t => {
  const doctor = new DoctorProcess({ PATH: process.env.PATH, PETSTORE_DATA: await temporaryFolder(t) })
  const examined = doctor.examine()
  doctor.close()
  await assert.rejects(examined, StoreUnavailable)
  doctor.close()
})
