import { setTimeout as sleep } from 'node:timers/promises'
import { getRequest } from '../../hostile/phases.ts'
import { expectAsBefore, megabytes, openCrowd, startAtWork } from '../crowd.ts'
import type { Scenario } from '../scenario.ts'

const CONNECTIONS = 10_000
const CONNECTIONS_IN_SHORT = 1_000
const IDLE_SECONDS = 30
const MAX_BYTES_FOR_EACH = 65_536

export const idleConnections: Scenario = {
  name: 'idle-connections',
  explanation: '10,000 connections stay idle; nothing may be refused, delayed or closed',
  maxSeconds: 180,
  async run(stage) {
    const { tally, isQuick } = stage
    const { service, creators, before } = await startAtWork(stage)
    const request = getRequest('/v1/pets?limit=1', service.key)
    const idle = await openCrowd(
      stage,
      service.port,
      isQuick ? CONNECTIONS_IN_SHORT : CONNECTIONS,
      async connection => {
        connection.write(request)
        await connection.answer()
      },
    )
    await sleep((isQuick ? 2 : IDLE_SECONDS) * 1_000)
    const memory = service.memory() - before.memory
    const closed = idle.filter(({ isEnded }) => isEnded).length
    tally.expect(closed === 0, `${closed} idle connections were closed`)
    const forEach = (memory * 1_000_000) / idle.length
    tally.expect(isQuick || forEach < MAX_BYTES_FOR_EACH, `an idle connection takes ${Math.round(forEach)} bytes`)
    let answered = 0
    for (const connection of idle) {
      connection.write(request)
      if ((await connection.answer()).status === 200) answered += 1
    }
    tally.expect(answered === idle.length, `${idle.length - answered} connections were not answered afterwards`)
    for (const connection of idle) connection.destroy()
    await expectAsBefore(stage, service, creators, before)
    tally.note(
      `${idle.length.toLocaleString('en')} idle connections took ${megabytes(memory)} of memory; all of them were answered afterwards`,
    )
  },
}
