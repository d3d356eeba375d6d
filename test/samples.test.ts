import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DEMO_PETS } from '../src/cli/demo-pets.ts'
import type { Deployment } from '../src/domain/deployment.ts'
import { until } from './support/command-line.ts'
import { needs, skip } from './support/needs.ts'
import { checkTypes, hasRequests, makeProject, runSamples, type Wish, writeSamples } from './support/run-samples.ts'
import { assertAnswer } from './support/sample-answer.ts'
import { LANGUAGES, type Language, readCode, type Sample } from './support/samples.ts'
import { type Cleanup, startTestService, type TestService } from './support/service.ts'

// Whatever a reader may copy from the texts works as it stands there, and prints what the text says.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FILES = globSync(['README.md', 'client/README.md', 'docs/guides/*.md'], { cwd: ROOT }).toSorted()
const CODE = await Promise.all(FILES.map(async file => readCode(file, await readFile(ROOT + file, 'utf8'))))
const SAMPLES = CODE.flatMap(({ samples }) => samples)

/** Where the texts say that the service is. */
const ADDRESSES = /http:\/\/127\.0\.0\.1:8080\/v1|https:\/\/petstore\.example\/v1/g
const NAMES: Record<Deployment, string> = {
  production: 'https://petstore.example',
  staging: 'https://staging.petstore.example',
}
const LABELS: Record<Language, string> = { sh: 'curl', ts: 'TypeScript', python: 'Python' }

const folder = await mkdtemp(join(tmpdir(), 'petstore-samples-'))
after(() => rm(folder, { recursive: true }))
const [production, staging] = await Promise.all([
  startFilled('production'),
  startFilled('staging'),
  makeProject(folder),
])
const services: Record<Deployment, TestService> = { production, staging }

for (const language of LANGUAGES) {
  test(`every sample for ${LABELS[language]} works, and prints what its text says`, async t => {
    if (!(await canRun(t, language))) return
    const samples = SAMPLES.filter(sample => sample.language === language)
    assert.ok(samples.length > 10, `${samples.length} samples`)
    const wishes = await Promise.all(samples.map(prepare))
    const endings = await runSamples(folder, language, await writeSamples(folder, wishes))
    for (const [index, sample] of samples.entries()) {
      await t.test(sample.place, () => {
        const { output = '', errors } = endings[index] ?? {}
        assert.equal(errors, '')
        if (sample.answer) assertAnswer(language, withNames(output), sample.answer)
      })
    }
  })
}

test('the samples in TypeScript pass the strictest checks of types', async () => {
  const samples = SAMPLES.filter(({ language }) => language === 'ts')
  await writeSamples(
    folder,
    samples.map(sample => ({ sample: { ...sample, code: codeOf(sample) }, url: '', key: '' })),
  )
  assert.equal(await checkTypes(folder), '')
})

test('the samples that back off send nothing before the time that they were told', async t => {
  const samples = SAMPLES.filter(
    ({ place, heading }) => place.startsWith('docs/guides/limits.md') && heading === 'Back off',
  )
  assert.deepEqual(
    samples.map(({ language }) => language),
    LANGUAGES,
  )
  const able = []
  for (const sample of samples) if (await canRun(t, sample.language)) able.push(sample)
  const service = await startFilled('production', t)
  const callers = await Promise.all(able.map(() => service.createCaller({ limits: { perMinute: 1 } })))
  await Promise.all(
    callers.map(({ key }) => fetch(`${service.url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })),
  )
  service.clock.advanceSeconds(58)
  const running = Promise.all(
    able.map(async (sample, index) => {
      const wish = { sample, url: `${service.url}/v1`, key: callers[index]?.key ?? '' }
      const [ending] = await runSamples(folder, sample.language, await writeSamples(folder, [wish]))
      return ending
    }),
  )
  const answersTo = (keyId: bigint) =>
    service.logs.flatMap(line => {
      const { key, status } = JSON.parse(line)
      return key === Number(keyId) ? [status] : []
    })
  await until(() => callers.every(({ keyId }) => answersTo(keyId).includes(429)))
  service.clock.advanceSeconds(2)

  const endings = await running
  for (const [index, { keyId }] of callers.entries()) {
    const ending = endings[index]
    assert.equal(ending?.errors, '')
    const answers = answersTo(keyId)
    const refusals = answers.filter(status => status === 429).length
    assert.deepEqual([answers[0], answers.at(-1)], [200, 200])
    assert.ok(ending && ending.seconds >= 2 * refusals, `${ending?.seconds} s, ${refusals} refusals`)
  }
})

test('nothing else of the code can be run', () => {
  assert.deepEqual(
    CODE.flatMap(({ others }) => others),
    OTHERS,
  )
})

/** What installs or starts something, sets the variables of the samples, or is the operator's: file and first line. */
const OTHERS = [
  'README.md: npm ci && npm start',
  'README.md: npm ci && npm test',
  'README.md: npx petstore account create "Corner Shop" --plan pro',
  'client/README.md: npm pack --workspace client',
  'docs/guides/quick-start.md: export PETSTORE_URL=https://petstore.example/v1',
  'docs/guides/quick-start.md: npm ci && npm pack --workspace client',
  'docs/guides/staging.md: export PETSTORE_URL=https://staging.petstore.example/v1',
]

async function startFilled(deployment: Deployment, t: Cleanup = { after }): Promise<TestService> {
  const service = await startTestService(t, { backend: 'embedded', config: { deployment } })
  for (const pet of DEMO_PETS) await service.store.createPet(pet, service.clock.now)
  return service
}

/** A caller for each sample, so that none depends on what others have used up. */
async function prepare(sample: Sample): Promise<Wish> {
  const service = services[sample.place.startsWith('docs/guides/staging.md') ? 'staging' : 'production']
  const { key } = await service.createCaller({ plan: 'free' })
  const url = `${service.url}/v1`
  return { sample: { ...sample, code: codeOf(sample).replaceAll(ADDRESSES, url) }, url, key }
}

/** The client's own README makes a client once, in its first sample; those that follow go on with it. */
function codeOf({ place, language, code }: Sample): string {
  if (language !== 'ts' || !place.startsWith('client/README.md') || code.includes('new PetstoreClient')) return code
  const first = SAMPLES.find(other => other.language === 'ts' && other.place.startsWith('client/README.md'))
  const [opening = ''] = /^.*new PetstoreClient\(.*?\)\n/s.exec(first?.code ?? '') ?? []
  return opening + code
}

function withNames(output: string): string {
  return output.replaceAll(production.url, NAMES.production).replaceAll(staging.url, NAMES.staging)
}

async function canRun(t: TestContext, language: Language): Promise<boolean> {
  if (language === 'sh') return needs(t, 'curl')
  return language === 'ts' || hasRequests || skip(t, 'requests is not installed for /usr/bin/python3')
}
