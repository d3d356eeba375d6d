import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createAccount } from '../../src/domain/administration/accounts.ts'
import { labelCategory } from '../../src/domain/administration/categories.ts'
import { createSource } from '../../src/domain/administration/sources.ts'
import type { AdminOperation } from '../../src/operator/operation.ts'
import { OPERATIONS } from '../../src/operator/routes.ts'
import { OPERATIONS as PUBLIC_OPERATIONS } from '../../src/public/routes.ts'
import type { Json } from '../../src/schema/openapi/references.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type OperatorService, startOperatorService } from '../support/operator.ts'
import { type Example, exampleOf } from '../support/operator-examples.ts'
import { canRun } from '../support/servers/languages.ts'
import { startWithAnimals } from '../support/service-with-animals.ts'
import { LANGUAGES, type Sample } from './read-samples.ts'
import { readReference } from './reference-samples.ts'
import { checkTypes, makeProject, runSamples, type SampleEnding, type Wish } from './run-samples.ts'

// The samples of both references work: in curl and Python when pasted into a terminal, and with the client.

const project = await temporaryFolder({ after })
await makeProject(project)

/** Its sample prints events until it is stopped. */
const ENDLESS = 'listenToChanges'

for (const language of LANGUAGES) {
  test(`every operation of the public API has a sample that works and prints what it got, in ${language}`, async t => {
    if (!canRun(t, language)) return
    const service = await startWithAnimals(t, 'production')
    const { key } = await service.createCaller()
    const samples = (await readReference(service.url)).filter(sample => sample.language === language)
    assert.deepEqual(
      samples.map(({ operationId }) => operationId),
      PUBLIC_OPERATIONS.map(({ id }) => id),
    )
    if (language === 'ts') assert.equal(await checkTypes(project, samples), '')
    const wishes = samples.map(sample => ({ sample, url: service.baseUrl, key }))
    for (const [index, { output, errors, hasFailed }] of (await runSamples(project, language, wishes)).entries()) {
      const { operationId } = samples[index] as (typeof samples)[number]
      // The Python client warns of the deprecated operation.
      if (language === 'python' && operationId === 'getPet') assert.match(errors, /DeprecationWarning: pets.get/)
      else assert.equal(errors, '', operationId)
      assert.equal(hasFailed, false, operationId)
      assert.match(output, /Rex|Bruno/, operationId)
    }
  })
}

for (const language of ['sh', 'python'] as const) {
  // Each sample has a service and a process of its own.
  test(`every sample of the admin API works, in ${language}`, { timeout: 240_000 }, async t => {
    if (!canRun(t, language, 'requests')) return
    const { operatorUrl } = await startOperatorService(t)
    const samples = (await readReference(operatorUrl)).filter(sample => sample.language === language)
    const wishes: Wish[] = []
    for (const operation of OPERATIONS.filter(({ id }) => id !== ENDLESS)) {
      const service = await startOperatorService(t)
      const sample = samples.find(({ operationId }) => operationId === operation.id)
      assert.ok(sample, operation.id)
      // In an empty store, the first two resources of each kind have the ids of the examples.
      const made = await exampleOf(operation, service)
      await exampleOf(operation, service)
      if (/Acme.Pets/.test(sample.code) && operation.id !== 'createAccount') {
        await createAccount(service.adminContext(), { name: 'Acme Pets', plan: 'pro', limits: {} })
      }
      if (/riverside/.test(sample.code) && operation.id !== 'createSource') {
        await createSource(service.adminContext(), 'riverside', {})
      }
      if (operation.id === 'unlabelCategory') await labelCategory(service.adminContext(), '1', 'Dogs')
      const variables = { ADMIN_URL: `${service.operatorUrl}/admin/v1`, TOKEN: service.admin.token }
      const current = withEntry(made, await withVersion(service, operation, sample))
      wishes.push({ sample: current, url: '', key: '', variables })
    }
    assert.equal(wishes.length, samples.length - 1)
    assertAllWorked(wishes, await runSamples(project, language, wishes))
  })
}

/** The sample of a bulk change, with the version of a preview instead of a placeholder. */
async function withVersion(service: OperatorService, { examples }: AdminOperation, sample: Sample): Promise<Sample> {
  const [example] = Object.values(examples)
  const { version, change: _, ...selection } = (example?.body ?? {}) as Json
  if (version === undefined) return sample
  const preview = await service.call('POST', '/pets/bulk/preview', { body: selection })
  return { ...sample, code: sample.code.replace(String(version), preview.value.version) }
}

/** The sample of an operation on an entry of the audit log, with the id of an entry that can be undone. */
function withEntry({ path, options }: Example, sample: Sample): Sample {
  const id = /^\/audit\/(\d+)\/(?:undo|pets)$/.exec(path)?.[1] ?? (options.body as Json | undefined)?.entryId
  return id === undefined ? sample : { ...sample, code: sample.code.replace(/\b12\b/, String(id)) }
}

function assertAllWorked(wishes: readonly Wish[], endings: readonly SampleEnding[]): void {
  assert.equal(endings.length, wishes.length)
  for (const [index, { sample }] of wishes.entries()) {
    const { place, language, code } = sample
    const { output, errors, hasFailed } = endings[index] as SampleEnding
    assert.equal(errors, '', `${place}:\n${code}\n${output}`)
    assert.equal(hasFailed, false, place)
    // The export selects entries from days before the service existed.
    const isEmpty = (language === 'sh' && /-X DELETE/.test(code)) || place.endsWith('exportAudit')
    if (!isEmpty) assert.notEqual(output.trim(), '', `${place} prints nothing`)
  }
}
