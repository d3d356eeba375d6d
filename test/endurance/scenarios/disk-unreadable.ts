import { inject } from '../../support/servers/system-calls.ts'
import { rideOut } from '../disk-fault.ts'
import type { Scenario } from '../scenario.ts'
import { ServiceUnderTest } from '../service-under-test.ts'

export const diskUnreadable: Scenario = {
  name: 'disk-unreadable',
  explanation: 'every read, write and sync fails; nothing served may be wrong',
  maxSeconds: 120,
  async run(stage) {
    const service = await ServiceUnderTest.prepare(stage)
    await service.start()
    await rideOut(stage, service, {
      begin: () => inject([service.pid], 'pread64,preadv,pwrite64,pwritev,fdatasync,fsync', 'error=EIO'),
      seconds: stage.isQuick ? 1 : 10,
      creations: 'refused',
      reads: 'may be refused',
    })
  },
}
