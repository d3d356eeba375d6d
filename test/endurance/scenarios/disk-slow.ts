import { inject } from '../../support/servers/system-calls.ts'
import { rideOut } from '../disk-fault.ts'
import type { Scenario } from '../scenario.ts'
import { ServiceUnderTest } from '../service-under-test.ts'

const SLOWER_MS = 200
/** A creation waits for the current commit and for its own, and each may sync more than once. */
const MAX_WAIT_MS = 1_500

export const diskSlow: Scenario = {
  name: 'disk-slow',
  explanation: 'every sync takes 200 ms longer; nothing may be refused, and reads must not wait',
  maxSeconds: 120,
  async run(stage) {
    const { tally } = stage
    const service = await ServiceUnderTest.prepare(stage)
    await service.start()
    await rideOut(stage, service, {
      begin: () => inject([service.pid], 'fdatasync,fsync', `delay_exit=${SLOWER_MS * 1_000}`),
      seconds: stage.isQuick ? 2 : 15,
      creations: 'slow',
      reads: 'served',
    })
    const { longestWaitMs, refused } = tally.figures
    tally.expect(longestWaitMs < MAX_WAIT_MS, `a call waited ${Math.round(longestWaitMs)} ms`)
    tally.expect(refused === 0, `${refused} calls refused`)
  },
}
