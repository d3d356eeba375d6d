import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '../support/raw.ts'
import { Creators } from './creators.ts'
import type { Stage } from './scenario.ts'
import { ServiceUnderTest } from './service-under-test.ts'

/** How many connections are opened at a time: the system's backlog of new connections is limited. */
const AT_ONCE = 200
/** How long others may have to wait while a crowd is connected. */
const MAX_WAIT_MS = 3_000
/** How many more files and sockets may be open afterwards than before. */
const KEPT_DESCRIPTORS = 20
const LEAVE_MS = 10_000

/** Opens many connections, each of which starts doing something immediately. */
export async function openCrowd(
  { t }: Stage,
  port: number,
  count: number,
  begin: (connection: Connection, index: number) => Promise<void> | void,
): Promise<Connection[]> {
  const connections: Connection[] = []
  t.after(() => {
    for (const connection of connections) connection.destroy()
  })
  for (let from = 0; from < count; from += AT_ONCE) {
    const opened = Array.from({ length: Math.min(AT_ONCE, count - from) }, async (_, index) => {
      const connection = await Connection.open(port)
      connections.push(connection)
      await begin(connection, from + index)
    })
    await Promise.all(opened)
  }
  return connections
}

/** The resources that the service used before a crowd connected. */
export interface Baseline {
  descriptors: number
  memory: number
}

/** Starts a service and callers that add animals, so the service is busy when a crowd connects. */
export async function startAtWork(
  stage: Stage,
): Promise<{ service: ServiceUnderTest; creators: Creators; before: Baseline }> {
  const service = await ServiceUnderTest.prepare(stage)
  await service.start()
  const creators = new Creators(service, stage.tally)
  creators.start()
  await creators.succeed(500, 10_000)
  return { service, creators, before: baselineOf(service) }
}

export function baselineOf(service: ServiceUnderTest): Baseline {
  return { descriptors: service.descriptors(), memory: service.memory() }
}

/** Checks that the crowd left no resources behind, that others were served in time, and that every acknowledged animal exists. */
export async function expectAsBefore(
  { tally }: Stage,
  service: ServiceUnderTest,
  creators: Creators,
  before: Baseline,
): Promise<void> {
  const deadline = performance.now() + LEAVE_MS
  while (service.descriptors() > before.descriptors + KEPT_DESCRIPTORS && performance.now() < deadline) await sleep(50)
  const left = service.descriptors() - before.descriptors
  tally.expect(left <= KEPT_DESCRIPTORS, `${left} more files and sockets are open afterwards`)
  await service.untilReady(LEAVE_MS)
  await creators.settle()
  const { longestWaitMs, refused, cutOff } = tally.figures
  tally.expect(longestWaitMs < MAX_WAIT_MS, `a caller waited ${Math.round(longestWaitMs)} ms`)
  tally.expect(refused === 0 && cutOff === 0, `${refused} calls of others were refused, ${cutOff} cut off`)
  tally.expect(service.log.read().length === 0, `the service logged ${service.log.lines.slice(0, 3).join('\n')}`)
  await creators.compare()
}

export function megabytes(count: number): string {
  return `${Math.round(count)} MB`
}
