import { setTimeout as sleep } from 'node:timers/promises'
import { NotPossible } from '../support/servers/needs.ts'
import { mountDisk, type OwnDisk } from '../support/servers/private-disk.ts'
import { Creators } from './creators.ts'
import { Readers } from './readers.ts'
import type { Stage } from './scenario.ts'
import type { ServiceUnderTest } from './service-under-test.ts'

/** A temporary fault of the disk of a service. */
export interface DiskFault {
  /** Starts the fault. Returns a function that ends it. */
  begin(): Promise<() => Promise<void>>
  seconds: number
  /** `slow`: all are acknowledged. `refused`: none are acknowledged during the fault. */
  creations: 'slow' | 'refused'
  reads: 'served' | 'may be refused'
}

const BEFORE = 500
const BEFORE_MS = 20_000
/** The time limits for creations to succeed again, and for `/readyz` to report the fault. */
const RECOVER_MS = 15_000
const NOTICE_MS = 8_000
const DISK_MEGABYTES = 256

/** @throws NotPossible if file systems cannot be created and mounted */
export async function mountOwnDisk({ t }: Stage): Promise<OwnDisk> {
  try {
    return await mountDisk(t, DISK_MEGABYTES)
  } catch (error) {
    throw new NotPossible(`a file system cannot be created and mounted: ${(error as Error).message.split('\n')[0]}`)
  }
}

/** Runs a fault while callers add and read animals, then checks that every acknowledged animal exists. */
export async function rideOut({ tally }: Stage, service: ServiceUnderTest, fault: DiskFault): Promise<void> {
  const { creations, reads, seconds } = fault
  const creators = new Creators(service, tally)
  const readers = new Readers(service, tally, creators)
  creators.start()
  tally.expect(await creators.succeed(BEFORE, BEFORE_MS), 'animals cannot be added before the fault')
  readers.start()
  await sleep(200)
  const beginsAt = performance.now()
  const end = await fault.begin()
  const noticedMs = creations === 'refused' ? await untilNotReady(service, beginsAt) : undefined
  if (creations === 'refused')
    tally.expect(noticedMs !== undefined, '/readyz does not report that the store cannot be written')
  const [acknowledgedBefore, servedBefore, unservedBefore] = [creators.acknowledged, readers.served, readers.unserved]
  await sleep(seconds * 1_000)
  const meanwhile = creators.acknowledged - acknowledgedBefore
  const [served, unserved] = [readers.served - servedBefore, readers.unserved - unservedBefore]
  tally.expect(creations === 'slow' ? meanwhile > 0 : meanwhile === 0, `${meanwhile} creations acknowledged meanwhile`)
  if (reads === 'served')
    tally.expect(served > 0 && unserved === 0, `${unserved} of ${served + unserved} reads refused`)
  const endedAt = performance.now()
  const { pid } = service
  await end()
  const isSame = service.pid === pid
  const isBack = await creators.succeed(1, RECOVER_MS)
  tally.expect(isBack, 'creations do not succeed again')
  const backSeconds = ((performance.now() - endedAt) / 1_000).toFixed(1)
  await service.untilReady(RECOVER_MS)
  await creators.succeed(BEFORE, RECOVER_MS)
  await Promise.all([creators.stop(), readers.stop()])
  await creators.settle()
  await service.kill()
  await service.start()
  await creators.compare()
  tally.note(
    `${served} reads served, ${unserved} refused, longest ${Math.round(readers.longestWaitMs)} ms; ${meanwhile} creations`,
  )
  if (noticedMs !== undefined) tally.note(`/readyz 503 after ${(noticedMs / 1_000).toFixed(1)} s`)
  if (creations === 'refused') {
    tally.note(`creations succeeded ${backSeconds} s after the fault, ${isSame ? 'without' : 'after'} a restart`)
  }
}

/** Milliseconds from `since` until `/readyz` reports the fault; undefined if that takes too long. */
async function untilNotReady(service: ServiceUnderTest, since: number): Promise<number | undefined> {
  while (performance.now() - since < NOTICE_MS) {
    if (!(await service.isReady())) return performance.now() - since
    await sleep(50)
  }
  return undefined
}
