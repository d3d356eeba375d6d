import { mountOwnDisk, rideOut } from '../disk-fault.ts'
import type { Scenario } from '../scenario.ts'
import { ServiceUnderTest } from '../service-under-test.ts'

export const diskFull: Scenario = {
  name: 'disk-full',
  explanation: 'another process fills the disk of the store; reads must succeed',
  maxSeconds: 120,
  async run(stage) {
    const disk = await mountOwnDisk(stage)
    const service = await ServiceUnderTest.prepare(stage, { folder: disk.folder })
    await service.start()
    await rideOut(stage, service, {
      async begin() {
        disk.fill()
        return async () => disk.free()
      },
      seconds: stage.isQuick ? 1 : 10,
      creations: 'refused',
      reads: 'served',
    })
  },
}
