import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from '../../support/cleanup.ts'
import { NotPossible } from '../../support/servers/needs.ts'
import { noPostgres, query } from '../../support/servers/postgres.ts'
import { startPostgresPair } from '../../support/servers/postgres-pair.ts'
import { Creators } from '../creators.ts'
import { inRounds } from '../rounds.ts'
import type { Scenario, Stage } from '../scenario.ts'
import { ServiceUnderTest } from '../service-under-test.ts'

const ROUNDS = 5
const CREATORS = 64
const BEFORE = 500
const CONTINUE_MS = 20_000
/** Anything that the primary acknowledged during this time without the standby would be lost. */
const BEHIND_MS = 100

export const postgresFailover: Scenario = {
  name: 'postgres-failover',
  explanation:
    'The store is in PostgreSQL, whose commits wait for a standby. Five times, while 64 callers add animals, the primary stops sending to the ' +
    'standby and gets `kill -9` a tenth of a second later, and the standby is promoted immediately. The address in PETSTORE_DATABASE_URL then ' +
    'leads to it.',
  maxSeconds: 400,
  async run(stage) {
    if (noPostgres) throw new NotPossible(noPostgres)
    const seconds = await inRounds(stage, ROUNDS, (t, round) => failOver(stage, t, round))
    stage.tally.note(
      `creations continue after ${seconds.map(one => one.toFixed(2)).join(', ')} s, counted from the kill`,
    )
  },
}

/** Returns the seconds until a creation is acknowledged again. */
async function failOver(stage: Stage, t: Cleanup, round: number): Promise<number> {
  const { tally } = stage
  const pair = await startPostgresPair(t)
  const service = await ServiceUnderTest.prepare({ ...stage, t }, { settings: { PETSTORE_DATABASE_URL: pair.url } })
  await service.start()
  const creators = new Creators(service, tally, { count: CREATORS, prefix: `round-${round}` })
  creators.start()
  tally.expect(await creators.succeed(BEFORE, CONTINUE_MS), 'creations do not succeed before the failover')
  const [sender] = await query(pair.primary.url, 'SELECT pid FROM pg_stat_replication')
  process.kill(sender?.pid as number, 'SIGSTOP')
  await sleep(BEHIND_MS)
  const killedAt = performance.now()
  await pair.primary.signal('SIGKILL')
  await pair.failOver()
  tally.expect(await creators.succeed(1, CONTINUE_MS), 'creations do not continue after the promotion')
  const seconds = (performance.now() - killedAt) / 1_000
  await creators.settle()
  await creators.compare()
  tally.expect((await service.stop()) === 0, 'the service does not shut down gracefully')
  return seconds
}
