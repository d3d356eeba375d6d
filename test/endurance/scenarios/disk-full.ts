import { mountOwnDisk, rideOut } from '../disk-fault.ts'
import type { Scenario } from '../scenario.ts'
import { ServiceUnderTest } from '../service-under-test.ts'

export const diskFull: Scenario = {
  name: 'disk-full',
  explanation:
    "Another process fills the store's own disk to the last byte while 16 callers add animals and 4 read. Reads must succeed, and " +
    'creations must be refused until the space is freed.',
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
