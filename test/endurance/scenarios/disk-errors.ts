import { inject } from '../../support/servers/system-calls.ts'
import { rideOut } from '../disk-fault.ts'
import type { Scenario } from '../scenario.ts'
import { ServiceUnderTest } from '../service-under-test.ts'

export const diskErrors: Scenario = {
  name: 'disk-errors',
  explanation:
    'Every write and every sync of the disk fails with an input/output error (`EIO`). Reads must succeed, and creations must be ' +
    'refused until the disk works. It is unknown how much of a commit is on the disk: none of it may have been acknowledged, and a ' +
    'repeated creation must not create a second animal.',
  maxSeconds: 120,
  async run(stage) {
    const service = await ServiceUnderTest.prepare(stage)
    await service.start()
    await rideOut(stage, service, {
      begin: () => inject([service.pid], 'pwrite64,pwritev,fdatasync,fsync', 'error=EIO'),
      seconds: stage.isQuick ? 1 : 10,
      creations: 'refused',
      reads: 'served',
    })
  },
}
