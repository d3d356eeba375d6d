import { setTimeout as sleep } from 'node:timers/promises'
import { getRequest } from '../../hostile/phases.ts'
import { Creators } from '../creators.ts'
import { openCrowd } from '../crowd.ts'
import { limitMemory } from '../memory-limit.ts'
import { Readers } from '../readers.ts'
import type { Scenario } from '../scenario.ts'
import { ServiceUnderTest } from '../service-under-test.ts'

const MEGABYTES = 256
const GREEDY = 300
const PAGES = 400
const SECONDS = 30

export const littleMemory: Scenario = {
  name: 'little-memory',
  explanation: '256 MB of memory (1 GB is recommended) with 300 clients that never read; no other call may be refused',
  maxSeconds: 120,
  async run(stage) {
    const { t, tally, isQuick } = stage
    const under = limitMemory(t, MEGABYTES)
    const service = await ServiceUnderTest.prepare(stage, { under })
    await service.start()
    const creators = new Creators(service, tally, { nameLength: 200 })
    const readers = new Readers(service, tally, creators)
    creators.start()
    tally.expect(await creators.succeed(1_000, 20_000), 'animals cannot be added')
    readers.start()
    const pages = getRequest('/v1/pets?limit=100', service.key).repeat(PAGES)
    const greedy = await openCrowd(stage, service.port, GREEDY, connection => {
      connection.stopReading()
      connection.write(pages)
    })
    await sleep((isQuick ? 2 : SECONDS) * 1_000)
    tally.expect(service.isRunning, 'the process ran out of memory and was killed')
    const memory = service.memory()
    for (const client of greedy) client.destroy()
    await readers.stop()
    await creators.settle()
    const { refused, cutOff } = tally.figures
    tally.expect(refused + cutOff === 0, `${refused} calls refused, ${cutOff} cut off`)
    await service.kill()
    await service.start()
    await creators.compare()
    await service.kill()
    tally.note(`the process took ${Math.round(memory)} MB`)
  },
}
