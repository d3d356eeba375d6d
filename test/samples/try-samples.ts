import assert from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import type { Deployment } from '../../src/domain/deployment.ts'
import { page } from '../support/faults.ts'
import { type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy.ts'
import { temporaryFolder } from '../support/folder.ts'
import type { TestService } from '../support/service.ts'
import { startWithAnimals } from '../support/service-with-animals.ts'
import type { Language, Sample } from './read-samples.ts'
import { checkTypes, makeProject, runSamples, type SampleEnding, type Wish } from './run-samples.ts'
import { assertAnswer } from './sample-answer.ts'
import { WHOLE_SAMPLES } from './sample-texts.ts'

// Everything that a reader may copy from the documents works unchanged, and prints the output shown.

/** The address of the service in the documents. */
const ADDRESSES = /http:\/\/127\.0\.0\.1:8080\/v1|https:\/\/petstore\.example\/v1/g
const NAMES: Record<Deployment, string> = {
  production: 'https://petstore.example',
  staging: 'https://staging.petstore.example',
}
const LABELS: Record<Language, string> = { sh: 'curl', ts: 'TypeScript', python: 'Python' }
/** Samples that keep trying for long when calls fail; try-waits.ts tests that. */
const REPEATING = /--retry|petstore_client/
/** Their samples print how many calls remain, or use them up, so each runs as if it were the reader's first. */
const COUNTING = ['docs/guides/limits.md', 'docs/guides/staging.md']

/**
 * Tries all samples in these languages.
 * @param canRun skips a test, with a warning, if samples in a language cannot be run
 */
export async function trySamples(
  languages: readonly Language[],
  canRun: (t: TestContext, language: Language) => boolean = () => true,
): Promise<void> {
  const folder = await temporaryFolder({ after })
  const [production, staging] = await Promise.all([
    startWithAnimals({ after }, 'production'),
    startWithAnimals({ after }, 'staging'),
    makeProject(folder),
  ])
  const services: Record<Deployment, TestService> = { production, staging }
  // Some samples for staging wait, by a clock that is not faster.
  let tickedAt = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    staging.clock.advance(2 * Math.round(now - tickedAt))
    tickedAt = now
  }, 50)
  after(async () => clearInterval(timer))
  /** Runs all samples of all documents in all languages, as a reader may. */
  const readers = {
    production: (await production.createCaller()).key,
    staging: (await staging.createCaller()).key,
  }

  describe('the samples', { concurrency: true }, () => {
    for (const language of languages) {
      const samples = WHOLE_SAMPLES.filter(sample => sample.language === language)

      test(`for ${LABELS[language]} work, and print the output in the text`, async t => {
        if (!canRun(t, language)) return
        assert.ok(samples.length > 10, `${samples.length} samples`)
        const endings = await runSamples(folder, language, await Promise.all(samples.map(inOrder)))
        for (const [index, sample] of samples.entries()) {
          await t.test(sample.place, () => {
            const { output, errors, hasFailed } = endings[index] as SampleEnding
            assert.equal(errors, '')
            assert.equal(hasFailed, false)
            assert.notEqual(output.trim(), '', 'It prints nothing.')
            if (sample.file.startsWith('docs/guides/'))
              assert.ok(sample.answer, 'The text does not show what it prints.')
            if (sample.answer) assertAnswer(language, withNames(output), sample.answer)
          })
        }
      })

      test(`for ${LABELS[language]} report a refused key`, async t => {
        if (!canRun(t, language)) return
        const keyed = samples.filter(({ code }) => code.includes('PETSTORE_API_KEY'))
        const endings = await runSamples(folder, language, keyed.map(withOtherKey))
        for (const [index, { place }] of keyed.entries()) {
          await t.test(place, () => {
            const ending = endings[index] as SampleEnding
            assertTold(ending, KEY_REFUSED)
            const printed = ending.output.replaceAll(TRUE_ANYHOW, '').trim()
            if (printed !== '') assert.match(printed, KEY_REFUSED)
          })
        }
      })

      // The client repeats such calls as long as it may take, which its own tests cover.
      if (language === 'ts') continue
      for (const [order, passed] of [
        ['the first', 0],
        ['the second', 1],
      ] as const) {
        test(`for ${LABELS[language]} report an error page of a proxy in response to ${order} of their calls`, async t => {
          if (!canRun(t, language)) return
          const calling = samples.filter(({ code }) => /PETSTORE_URL.*\bpets\b/s.test(code) && !REPEATING.test(code))
          const proxied = await Promise.all(calling.map(sample => throughProxy(t, sample, passed)))
          const endings = await runSamples(
            folder,
            language,
            proxied.map(({ wish }) => wish),
          )
          for (const [index, { wish, proxy }] of proxied.entries()) {
            if (proxy.requests.length <= passed) continue
            await t.test(wish.sample.place, () => assertTold(endings[index] as SampleEnding, PAGE_MET))
          }
        })
      }
    }

    if (languages.includes('ts')) {
      test('in TypeScript pass the strictest type checks', async () => {
        const samples = WHOLE_SAMPLES.filter(({ language }) => language === 'ts')
        assert.equal(await checkTypes(folder, samples), '')
      })
    }
  })

  /** The output in the document is that of a successful call. */
  async function inOrder(sample: Sample): Promise<Wish> {
    const deployment = deploymentOf(sample)
    const service = services[deployment]
    const isCounting = COUNTING.includes(sample.file)
    const key = isCounting ? (await service.createCaller({ plan: 'free' })).key : readers[deployment]
    return wishFor(sample, service, key)
  }

  /** Runs the sample with a key of the other deployment. */
  function withOtherKey(sample: Sample): Wish {
    const deployment = deploymentOf(sample)
    return wishFor(sample, services[deployment], readers[deployment === 'production' ? 'staging' : 'production'])
  }

  /** The sample, and its own proxy, which lets this many calls pass. */
  async function throughProxy(
    t: TestContext,
    sample: Sample,
    passed: number,
  ): Promise<{ wish: Wish; proxy: FaultyProxy }> {
    const service = services[deploymentOf(sample)]
    const { key } = await service.createCaller({ plan: 'free' })
    const proxy = await startFaultyProxy(t, service.url)
    proxy.choose = () => (proxy.requests.length > passed ? page(502) : undefined)
    return { wish: wishFor(sample, proxy, key), proxy }
  }

  function withNames(output: string): string {
    return output.replaceAll(production.url, NAMES.production).replaceAll(staging.url, NAMES.staging)
  }
}

function wishFor(sample: Sample, { url: root }: { url: string }, key: string): Wish {
  const url = `${root}/v1`
  return { sample: { ...sample, code: sample.code.replaceAll(ADDRESSES, url) }, url, key }
}

/** Asserts that a sample has reported the problem: in its output or, if it exits with an error, on standard error. */
function assertTold({ output, errors, hasFailed }: SampleEnding, failure: RegExp): void {
  assert.match(hasFailed ? output + errors : output, failure)
}

const KEY_REFUSED = /invalid_api_key|\b401\b|on staging only/
const PAGE_MET = /Bad gateway|\b502\b|try again later/
/** Texts that refused calls also print. */
const TRUE_ANYHOW = /^.* is removed on .*$/gm

function deploymentOf({ file }: Sample): Deployment {
  return file === 'docs/guides/staging.md' ? 'staging' : 'production'
}
