import { fuzz } from '../../hostile/fuzz.ts'
import { Creators } from '../creators.ts'
import { inRounds } from '../rounds.ts'
import type { Scenario } from '../scenario.ts'

const RUNS = 5
const REQUESTS = 200_000
const REQUESTS_IN_SHORT = 2_000
const MAX_SECONDS = 300
/** The callers that add animals in each run. */
const CREATORS = 2

export const oddRequests: Scenario = {
  name: 'odd-requests',
  explanation: '1,000,000 generated and mutated requests; each must get exactly one response, never a 5xx',
  maxSeconds: RUNS * (MAX_SECONDS + 60),
  async run(stage) {
    const { tally, isQuick } = stage
    let requests = 0
    await inRounds(stage, RUNS, async (t, seed) => {
      const report = await fuzz(t, {
        requests: isQuick ? REQUESTS_IN_SHORT : REQUESTS,
        seconds: MAX_SECONDS,
        seed,
        meanwhile(service) {
          const creators = new Creators(service, tally, { count: CREATORS })
          creators.start()
          return async () => {
            await creators.settle()
            await creators.compare()
          }
        },
      })
      requests += report.requests
      for (const detail of report.details) tally.expect(false, `seed ${seed}: ${detail.slice(0, 1_000)}`)
    })
    const goal = isQuick ? REQUESTS_IN_SHORT : RUNS * REQUESTS
    tally.expect(requests >= goal, `only ${requests} requests in time`)
    tally.note(`${requests.toLocaleString('en')} requests`)
  },
}
