import { setTimeout as sleep } from 'node:timers/promises'
import { createAccount } from '../../../src/domain/administration/accounts.ts'
import { issueKey } from '../../../src/domain/administration/keys.ts'
import { DAY_MS, MINUTE_MS } from '../../../src/domain/time.ts'
import { getRequest } from '../../hostile/phases.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { readRate } from '../../support/rate.ts'
import type { Answer } from '../../support/raw.ts'
import { makeFakedClock } from '../../support/servers/faked-clock.ts'
import { NotPossible } from '../../support/servers/needs.ts'
import { Caller } from '../caller.ts'
import { Creators } from '../creators.ts'
import type { Scenario } from '../scenario.ts'
import { ServiceUnderTest } from '../service-under-test.ts'
import type { Tally } from '../tally.ts'

/** The clock steps by each of these offsets, and back. */
const STEPS_SECONDS = [5, -5, 90, -90, 3 * 3_600, -3 * 3_600, 2 * 86_400, -2 * 86_400]
const STEPS_IN_SHORT = [3 * 3_600, -2 * 86_400]
/** The library checks for a step once a second. */
const STEP_MS = 4_000
const TOLERANCE_MS = 2_500
const SUCCEED_MS = 5_000
/** A ban ends at a stored time, so it would hide how the limits behave. */
const NO_BANS = { PETSTORE_BAN_AFTER: '1000' }

export const clock: Scenario = {
  name: 'clock',
  explanation: 'the clock steps by seconds to days; no account may wait longer than two of its windows',
  maxSeconds: 240,
  async run(stage) {
    const { t, tally, isQuick } = stage
    const faked = makeFakedClock(await temporaryFolder(t))
    if (!faked) throw new NotPossible('libfaketime is not installed')
    const variables = { ...faked.variables, FAKETIME_CACHE_DURATION: '1' }
    const service = await ServiceUnderTest.prepare(stage, { variables, settings: NO_BANS })
    const limited = await service.store.act(async context => {
      const { id } = await createAccount(context, { name: 'limited', plan: 'free', limits: {} })
      return (await issueKey(context, { account: String(id) })).key
    })
    await service.start()
    const creators = new Creators(service, tally)
    creators.start()
    const caller = new Caller(service.port)
    const steps = (isQuick ? STEPS_IN_SHORT : STEPS_SECONDS).flatMap(seconds => [seconds, 0])
    let locked = 0
    for (const [index, offset] of steps.entries()) {
      const before = steps[index - 1] ?? 0
      await useUp(caller, limited, tally)
      faked.set(offset)
      const name = `from ${before} s to ${offset} s`
      tally.expect(await showsClock(caller, service.key, offset), `${name}: the clock of the service has not stepped`)
      tally.expect(await creators.succeed(100, SUCCEED_MS), `${name}: creations do not succeed`)
      locked = Math.max(locked, await checkLimits(caller, limited, { name, offset, tally }))
      // Idempotency keys are kept for a day.
      if (Math.abs(offset - before) < DAY_MS / 1_000) await creators.repeatNewest()
      if (Math.abs(offset) >= DAY_MS / 1_000) {
        await service.kill()
        await service.start()
      }
      await service.untilReady(SUCCEED_MS)
    }
    await creators.settle()
    caller.close()
    tally.expect(service.log.read().length === 0, `the service logged ${service.log.lines[0]}`)
    await service.kill()
    await service.start()
    await creators.compare()
    tally.note(`${steps.length} steps; the longest Retry-After of an account of 60 calls a minute: ${locked} s`)
  },
}

/** Calls until the account has used up its minute. */
async function useUp(caller: Caller, key: string, tally: Tally): Promise<void> {
  for (let calls = 0; calls < 200; calls += 1) {
    const outcome = await caller.call(getRequest('/v1/pets?limit=1', key))
    if (outcome.kind !== 'answered') {
      tally.count(outcome)
      continue
    }
    if (outcome.answer.status === 429) return
  }
}

/** Waits until the service's `Date` header shows the stepped time. Returns whether it does, in time. */
async function showsClock(caller: Caller, key: string, offsetSeconds: number): Promise<boolean> {
  const deadline = performance.now() + STEP_MS
  while (performance.now() < deadline) {
    const outcome = await caller.call(getRequest('/v1/pets?limit=1', key))
    const shown = outcome.kind === 'answered' ? Date.parse(outcome.answer.header('date') ?? '') : Number.NaN
    if (Math.abs(shown - Date.now() - offsetSeconds * 1_000) < TOLERANCE_MS) return true
    await sleep(50)
  }
  return false
}

interface Step {
  name: string
  offset: number
  tally: Tally
}

/** Checks the answer to an account that used up its minute before the step. Returns its Retry-After, or 0. */
async function checkLimits(caller: Caller, key: string, { name, offset, tally }: Step): Promise<number> {
  const outcome = await caller.call(getRequest('/v1/pets?limit=1', key))
  if (outcome.kind !== 'answered') {
    tally.count(outcome)
    return 0
  }
  const { answer } = outcome
  const { remaining, limit, reset } = readRate(answer)
  const now = Date.now() + offset * 1_000
  const length = limit === 60 ? MINUTE_MS : DAY_MS
  tally.expect(answer.status === 200 || answer.status === 429, `${name}: the limited caller gets ${answer.text}`)
  tally.expect(remaining >= 0 && remaining <= limit, `${name}: ${remaining} of ${limit} remain`)
  // A window that began before a small step back ends up to one length later.
  tally.expect(
    reset * 1_000 <= now + 2 * length + TOLERANCE_MS,
    `${name}: the limit resets at ${new Date(reset * 1_000)}`,
  )
  const retryAfter = retryAfterOf(answer)
  tally.expect(retryAfter <= (2 * length) / 1_000, `${name}: Retry-After is ${retryAfter} s`)
  return retryAfter
}

function retryAfterOf(answer: Answer): number {
  return Number(answer.header('retry-after') ?? 0)
}
