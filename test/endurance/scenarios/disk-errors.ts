import { inject } from '../../support/servers/system-calls.ts'
import { rideOut } from '../disk-fault.ts'
import type { Scenario } from '../scenario.ts'
import { ServiceUnderTest } from '../service-under-test.ts'

export const diskErrors: Scenario = {
  name: 'disk-errors',
  explanation:
    'The disk answers every write and every sync with an input/output error (`EIO`). Reads must go through, creations must be refused, and ' +
    'succeed again without a restart once the disk works. After an error it is not known how much of a commit is on the disk: none of it ' +
    'may have been acknowledged, and a repeated creation must not make a second animal.',
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
