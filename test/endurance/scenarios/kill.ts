import { setTimeout as sleep } from 'node:timers/promises'
import { Creators } from '../creators.ts'
import type { Scenario } from '../scenario.ts'
import { ServiceUnderTest } from '../service-under-test.ts'

const KILLS = 100
const KILLS_IN_SHORT = 4
const CREATORS = 64
/** One kill in four happens while the process starts. */
const WHILE_STARTING = 4
const LATEST_START_MS = 1_500
/** The other kills happen at most this long after the first acknowledged creation. */
const LATEST_KILL_MS = 1_500
const RECOVER_MS = 10_000

export const kill: Scenario = {
  name: 'kill',
  explanation: '`kill -9`, 100 times, amid the creations of 64 callers and while it starts',
  maxSeconds: 600,
  async run(stage) {
    const { tally, isQuick } = stage
    const kills = isQuick ? KILLS_IN_SHORT : KILLS
    const service = await ServiceUnderTest.prepare(stage)
    const creators = new Creators(service, tally, { count: CREATORS })
    creators.start()
    let amidCreations = 0
    for (let number = 0; number < kills; number += 1) {
      service.launch()
      const isStarting = number % WHILE_STARTING === 0
      if (!isStarting) tally.expect(await creators.succeed(1, RECOVER_MS), 'creations do not succeed after a kill')
      await sleep(Math.random() * (isStarting ? LATEST_START_MS : LATEST_KILL_MS))
      tally.expect(service.isRunning, `the service ended on its own: ${service.log.tail()}`)
      if (!isStarting && creators.open > 0) amidCreations += 1
      await service.kill()
    }
    const startMs = await service.start()
    tally.expect(await creators.succeed(CREATORS, RECOVER_MS), 'creations do not succeed after the last kill')
    await creators.settle()
    // The last acknowledged animals must also be on the disk.
    await service.kill()
    await service.start()
    await creators.compare()
    tally.expect((await service.stop()) === 0, 'the service does not shut down gracefully')
    tally.note(
      `${kills} kills, ${amidCreations} of them amid creations; ${tally.figures.cutOff} creations were cut off`,
    )
    tally.note(`${creators.replays} repeated creations had been carried out before, and were not again`)
    tally.note(`ready ${(startMs / 1_000).toFixed(2)} s after the start that followed the last kill`)
    tally.expect(amidCreations > 0, 'no kill happened during creations')
  },
}
