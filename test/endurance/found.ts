import { setTimeout as sleep } from 'node:timers/promises'
import { getRequest } from '../hostile/phases.ts'
import type { Answer } from '../support/raw.ts'
import { Caller } from './caller.ts'
import type { Tally } from './tally.ts'

/** A service, and a key for it. */
export interface Target {
  port: number
  key: string
}

interface Pet {
  id: number
  name: string
}

interface Expected {
  /** Only animals whose names start with it are compared. */
  prefix: string
  /** Id by name. */
  acknowledged: ReadonlyMap<string, number>
}

/** Counts the acknowledged animals that exist, those that are missing, and those that exist more than once. */
export async function countFound(service: Target, tally: Tally, { prefix, acknowledged }: Expected): Promise<void> {
  const ids = new Map<string, number[]>()
  for await (const { id, name } of listAll(service)) {
    if (!name.startsWith(`${prefix}-`)) continue
    const known = ids.get(name)
    if (known) known.push(id)
    else ids.set(name, [id])
  }
  const { figures } = tally
  for (const [name, id] of acknowledged) {
    if (ids.get(name)?.includes(id)) figures.found += 1
    else figures.lost += 1
  }
  for (const found of ids.values()) if (found.length > 1) figures.doubled += 1
}

/** Every animal of a service, in the order of the list. */
export async function* listAll(service: Target): AsyncGenerator<Pet> {
  const caller = new Caller(service.port)
  try {
    for (let path: string | undefined = '/v1/pets?limit=100'; path; ) {
      const page: Answer = await get(caller, path, service.key)
      yield* page.json
      path = /<[^>]*(\/v1\/pets\?[^>]*)>; rel="next"/.exec(page.header('link') ?? '')?.[1]
    }
  } finally {
    caller.close()
  }
}

/** Retries while a busy service refuses. */
async function get(caller: Caller, path: string, key: string): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await caller.call(getRequest(path, key))
    if (outcome.kind === 'answered' && outcome.answer.status === 200) return outcome.answer
    if (attempt === 10) {
      const end = outcome.kind === 'answered' ? outcome.answer.text : outcome.kind
      throw new Error(`The list cannot be read afterwards: ${end}`)
    }
    await sleep(200)
  }
}
