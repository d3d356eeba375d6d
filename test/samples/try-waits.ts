import assert from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import { until } from '../support/eventually.ts'
import { CUT_AFTER, CUT_BEFORE, CUT_IN_BODY, type Fault, inTurn, page, refusal } from '../support/faults.ts'
import { assertNoneEarly, type ProxiedRequest, startFaultyProxy } from '../support/faulty-proxy.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startWithAnimals } from '../support/service-with-animals.ts'
import { type Answer, LANGUAGES, type Language, type Sample } from './read-samples.ts'
import { makeProject, runSamples, type SampleEnding } from './run-samples.ts'
import { assertAnswer } from './sample-answer.ts'
import { WHOLE_SAMPLES } from './sample-texts.ts'

// The samples that wait and repeat calls do so when necessary.

const BACK_OFF = samplesAt('docs/guides/limits.md', 'Back off')
const REPEAT = samplesAt('docs/guides/idempotency.md', 'Repeat it until it succeeds')
const PACE = samplesAt('docs/guides/limits.md', 'Pacing')

const TOLD = refusal(503, 'service_unavailable', 1)
const IN_PROGRESS = refusal(409, 'idempotency_in_progress', 1)

interface Scenario {
  name: string
  faults: readonly Fault[]
  /** How many calls the sample needs to get its answer despite the faults; undefined if it gives up. */
  calls?: number
}

const TOO_LONG: Scenario = {
  name: 'gives up when it would have to wait for too long',
  faults: [refusal(503, 'service_unavailable', 100)],
}
const WRONG: Scenario = { name: 'does not repeat what must be changed', faults: [refusal(404, 'route_not_found')] }

/** curl does not repeat a call that got no response. */
const scenariosIn = (language: Language, calls: number): readonly Scenario[] => {
  const lost = language === 'sh' ? [] : [CUT_BEFORE]
  return [{ name: 'overcomes failures', faults: [...lost, page(502), TOLD], calls }, TOO_LONG, WRONG]
}
/** Faults of a creation, which must still be carried out once. */
const LOST_ANSWERS: Scenario = {
  name: 'overcomes lost answers',
  faults: [CUT_AFTER, CUT_IN_BODY, IN_PROGRESS],
  calls: 2,
}

/**
 * Tries the samples that wait in these languages.
 * @param canRun skips a test, with a warning, if samples in a language cannot be run
 */
export async function tryWaits(
  languages: readonly Language[],
  canRun: (t: TestContext, language: Language) => boolean = () => true,
): Promise<void> {
  const spoken = (samples: readonly Sample[]) => samples.filter(({ language }) => languages.includes(language))
  const pacing = spoken(PACE)
  const folder = await temporaryFolder({ after })
  const [service] = await Promise.all([startWithAnimals({ after }, 'production'), makeProject(folder)])

  describe('the samples that wait', { concurrency: true }, () => {
    test('are there', () => {
      const languages = [BACK_OFF, REPEAT, PACE].map(samples => samples.map(({ language }) => language))
      assert.deepEqual(languages, [LANGUAGES, LANGUAGES, ['ts', 'python']])
    })

    for (const sample of spoken(BACK_OFF)) {
      test(`come to their answer: ${sample.place}`, t => assertScenarios(t, sample, scenariosIn(sample.language, 1)))
    }
    for (const sample of spoken(REPEAT)) {
      test(`make one animal: ${sample.place}`, t => {
        const scenarios = scenariosIn(sample.language, 2)
        return assertScenarios(t, sample, sample.language === 'sh' ? scenarios : [...scenarios, LOST_ANSWERS])
      })
    }

    test('send nothing before the time in Retry-After', async t => {
      const able = []
      for (const sample of spoken(BACK_OFF)) if (canRun(t, sample.language)) able.push(sample)
      const { clock, createCaller, url, logs } = await startWithAnimals(t, 'production')
      const callers = await Promise.all(able.map(() => createCaller({ limits: { perMinute: 1 } })))
      await Promise.all(
        callers.map(({ key }) => fetch(`${url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })),
      )
      clock.advanceSeconds(58)
      const running = Promise.all(
        able.map(async (sample, index) => {
          const wish = { sample, url: `${url}/v1`, key: callers[index]?.key ?? '' }
          const [ending] = await runSamples(folder, sample.language, [wish])
          return ending
        }),
      )
      const answersTo = (keyId: bigint) =>
        logs.flatMap(line => {
          const { key, status } = JSON.parse(line)
          return key === Number(keyId) ? [status] : []
        })
      await until(() => callers.every(({ keyId }) => answersTo(keyId).includes(429)))
      clock.advanceSeconds(2)

      const endings = await running
      for (const [index, { keyId }] of callers.entries()) {
        const { hasFailed, errors, seconds } = endings[index] as SampleEnding
        assert.equal(hasFailed, false, errors)
        const answers = answersTo(keyId)
        const refusals = answers.filter(status => status === 429).length
        assert.deepEqual([answers[0], answers.at(-1)], [200, 200])
        assert.ok(seconds >= 2 * refusals, `${seconds} s, ${refusals} refusals`)
      }
    })

    test('pace their calls, so that the remaining calls last until the end of the minute', async t => {
      const { clock, createCaller, url } = await startWithAnimals(t, 'production')
      const callers = await Promise.all(pacing.map(() => createCaller({ limits: { perMinute: 6 } })))
      for (const { key } of [...callers, ...callers]) {
        await fetch(`${url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })
      }
      // A second of the minute and 4 of its 6 calls remain.
      clock.advanceSeconds(59)
      await Promise.all(
        pacing.map(async (sample, index) => {
          if (!canRun(t, sample.language)) return
          const wish = { sample, url: `${url}/v1`, key: callers[index]?.key ?? '' }
          const [ending] = await runSamples(folder, sample.language, [wish])
          assert.equal(ending?.errors, '')
          // It waits twice for up to a third of it. Without a wait, it takes a few hundredths of a second.
          assert.ok(ending && ending.seconds > 0.4, `${ending?.seconds} s`)
        }),
      )
    })
  })

  async function assertScenarios(t: TestContext, sample: Sample, scenarios: readonly Scenario[]): Promise<void> {
    const { language } = sample
    if (!canRun(t, language)) return
    const proxies = await Promise.all(
      scenarios.map(({ faults }) => startFaultyProxy(t, service.url, { choose: inTurn(...faults) })),
    )
    const wishes = proxies.map(async ({ url }) => {
      const { key } = await service.createCaller()
      return { sample, url: `${url}/v1`, key }
    })
    const endings = await runSamples(folder, language, await Promise.all(wishes))
    for (const [index, scenario] of scenarios.entries()) {
      await t.test(scenario.name, () =>
        assertScenario(sample, scenario, endings[index] as SampleEnding, proxies[index]?.requests ?? []),
      )
    }
  }
}

function assertScenario(
  { language, answer }: Sample,
  { faults, calls }: Scenario,
  { output, errors, hasFailed }: SampleEnding,
  requests: readonly ProxiedRequest[],
): void {
  assert.equal(hasFailed, calls === undefined, errors)
  if (calls === undefined) assert.equal(output, '')
  else assertAnswer(language, output, answer as Answer)
  assert.equal(requests.length, faults.length + (calls ?? 0))
  assert.equal(new Set(requests.map(({ idempotencyKey }) => idempotencyKey)).size, 1)
  assertNoneEarly(requests)
}

function samplesAt(file: string, heading: string): readonly Sample[] {
  return WHOLE_SAMPLES.filter(sample => sample.file === file && sample.heading === heading)
}
