import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequest } from '../../hostile/phases.ts'
import { eventually } from '../../support/eventually.ts'
import { Creators } from '../creators.ts'
import { baselineOf, expectAsBefore, megabytes, openCrowd } from '../crowd.ts'
import type { Scenario } from '../scenario.ts'
import { ServiceUnderTest } from '../service-under-test.ts'

const CLIENTS = 300
const CLIENTS_IN_SHORT = 20
const PAGES = 400
/** Time for the system's buffers to fill, plus the service's own timeout of 30 seconds. */
const CUT_OFF_SECONDS = 60
const KEPT_DESCRIPTORS = 5
const MAX_GROWTH_MB = 300

export const unreadAnswers: Scenario = {
  name: 'unread-answers',
  explanation: '300 clients request 400 pages each and never read; they must be disconnected',
  maxSeconds: 180,
  async run(stage) {
    const { tally, isQuick } = stage
    const service = await ServiceUnderTest.prepare(stage)
    await service.start()
    const creators = new Creators(service, tally, { nameLength: 200 })
    creators.start()
    await creators.succeed(1_000, 20_000)
    const before = baselineOf(service)
    const pages = getRequest('/v1/pets?limit=100', service.key).repeat(PAGES)
    const clients = await openCrowd(stage, service.port, isQuick ? CLIENTS_IN_SHORT : CLIENTS, connection => {
      connection.stopReading()
      connection.write(pages)
    })
    await eventually(() => assert.ok(service.descriptors() >= before.descriptors + clients.length, 'all are connected'))
    const startedAt = performance.now()
    const deadline = startedAt + CUT_OFF_SECONDS * 1_000
    let mostMemory = 0
    while (service.descriptors() > before.descriptors + KEPT_DESCRIPTORS && performance.now() < deadline) {
      mostMemory = Math.max(mostMemory, service.memory())
      await sleep(200)
    }
    const seconds = (performance.now() - startedAt) / 1_000
    for (const client of clients) client.destroy()
    const growth = mostMemory - before.memory
    tally.expect(performance.now() < deadline, 'clients that read nothing were not cut off in time')
    tally.expect(growth < MAX_GROWTH_MB, `the service took ${megabytes(growth)} more memory`)
    await expectAsBefore(stage, service, creators, before)
    tally.note(
      `all ${clients.length} were cut off after ${Math.round(seconds)} s; meanwhile the service took ${megabytes(growth)} more memory`,
    )
  },
}
