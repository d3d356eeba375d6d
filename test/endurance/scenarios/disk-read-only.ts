import { mountOwnDisk, rideOut } from '../disk-fault.ts'
import type { Scenario } from '../scenario.ts'
import { ServiceUnderTest } from '../service-under-test.ts'

export const diskReadOnly: Scenario = {
  name: 'disk-read-only',
  explanation: 'the system makes the disk read-only; reads must succeed',
  maxSeconds: 120,
  async run(stage) {
    const disk = await mountOwnDisk(stage)
    const service = await ServiceUnderTest.prepare(stage, { folder: disk.folder })
    await service.start()
    await rideOut(stage, service, {
      async begin() {
        disk.fail()
        return async () => {
          await service.kill()
          disk.repair()
          await service.start()
        }
      },
      seconds: stage.isQuick ? 1 : 10,
      creations: 'refused',
      reads: 'served',
    })
  },
}
