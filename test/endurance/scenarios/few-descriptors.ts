import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProgram, NotPossible } from '../../support/servers/needs.ts'
import { Creators } from '../creators.ts'
import type { Scenario } from '../scenario.ts'
import { ServiceUnderTest } from '../service-under-test.ts'

const DESCRIPTORS = 128
const CONNECTIONS = 400
const SECONDS = 8
const RECOVER_MS = 10_000

export const fewDescriptors: Scenario = {
  name: 'few-descriptors',
  explanation: '128 files and sockets for 400 clients; connected callers must be served',
  maxSeconds: 120,
  async run(stage) {
    const { t, tally, isQuick } = stage
    if (!findProgram('prlimit')) throw new NotPossible('prlimit is not installed')
    const service = await ServiceUnderTest.prepare(stage, { under: ['prlimit', `--nofile=${DESCRIPTORS}`] })
    await service.start()
    const creators = new Creators(service, tally)
    creators.start()
    tally.expect(await creators.succeed(200, 10_000), 'animals cannot be added before the clients connect')
    const sockets = Array.from({ length: CONNECTIONS }, () => connect(service.port, '127.0.0.1').on('error', () => {}))
    t.after(() => sockets.forEach(socket => void socket.destroy()))
    const acknowledgedBefore = creators.acknowledged
    for (let second = 0; second < (isQuick ? 2 : SECONDS); second += 1) {
      await sleep(1_000)
    }
    const closed = sockets.filter(isClosed).length
    const meanwhile = creators.acknowledged - acknowledgedBefore
    tally.expect(service.isRunning, `the service has ended: ${service.log.tail()}`)
    tally.expect(meanwhile > 0, 'connected callers are not served')
    tally.expect(closed > 0, 'no connection was closed')
    tally.expect(await service.isReady(), 'health checks fail while the connections are open')
    for (const socket of sockets) socket.destroy()
    await service.untilReady(RECOVER_MS)
    const late = new Creators(service, tally, { prefix: 'late' })
    late.start()
    tally.expect(await late.succeed(100, RECOVER_MS), 'new callers are not served afterwards')
    await Promise.all([creators.settle(), late.settle()])
    await service.kill()
    await service.start()
    await creators.compare()
    await late.compare()
    tally.note(
      `${closed} of ${CONNECTIONS} connections closed at once for lack of room; ${meanwhile} creations acknowledged meanwhile`,
    )
  },
}

function isClosed({ destroyed, readyState }: Socket): boolean {
  return destroyed || readyState !== 'open'
}
