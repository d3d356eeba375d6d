import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { OPERATIONS } from '../../src/public/routes.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startWithAnimals } from '../support/service-with-animals.ts'
import { readReference } from './reference-samples.ts'
import { checkTypes, makeProject, runSamples } from './run-samples.ts'

// The reference's samples of the client; reference.servers.test.ts runs those in curl and Python.

test('every operation of the public API has a sample of the client, which works and prints what it got', async () => {
  const service = await startWithAnimals({ after }, 'production')
  const { key } = await service.createCaller()
  const samples = (await readReference(service.url)).filter(({ language }) => language === 'ts')
  assert.deepEqual(
    samples.map(({ operationId }) => operationId),
    OPERATIONS.map(({ id }) => id),
  )
  const project = await temporaryFolder({ after })
  await makeProject(project)
  assert.equal(await checkTypes(project, samples), '')
  const wishes = samples.map(sample => ({ sample, url: service.baseUrl, key }))
  for (const [index, { output, errors, hasFailed }] of (await runSamples(project, 'ts', wishes)).entries()) {
    const { operationId } = samples[index] as (typeof samples)[number]
    assert.equal(errors, '', operationId)
    assert.equal(hasFailed, false, operationId)
    assert.match(output, /Rex|Bruno/, operationId)
  }
})
