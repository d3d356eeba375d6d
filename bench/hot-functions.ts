import type { IncomingMessage } from 'node:http'
import { Refusal } from '../src/http/refusal.ts'
import { requestIdOf } from '../src/http/request-headers.ts'
import { MemoryAddressLimiter } from '../src/memory/address-limiter.ts'
import { MemoryRateLimiter } from '../src/memory/rate-limiter.ts'
import { buildAuthentication } from '../src/public/authenticate.ts'
import { limitLines } from '../src/public/limit-headers.ts'
import { buildStrangers } from '../src/public/strangers.ts'
import { parseJson } from '../src/schema/json.ts'
import { NewPet } from '../src/schema/pet-schemas.ts'
import { buildCheck } from '../src/schema/validate.ts'
import { SqliteStore } from '../src/sqlite/store.ts'
import { SOURCE } from '../test/support/source.ts'
import { type Figure, figure } from './figure.ts'
import { NEW_ANIMAL } from './record.ts'
import { stock } from './stock.ts'

const BATCHES = 11
const CALLS = 20_000

/** Measures single functions that every call runs, to notice early if one has become slow. */
export async function measureHotFunctions(): Promise<Figure[]> {
  using animals = await stock(1)
  const store = await SqliteStore.open(animals.folder, 'production')
  try {
    const now = Date.now()
    const ban = { after: 10, withinSeconds: 600, forSeconds: 900, maxSeconds: 86_400 }
    const limiter = await MemoryRateLimiter.open(store, ban, now)
    const fromNowhere = () => undefined
    const strangers = buildStrangers(new MemoryAddressLimiter(600), fromNowhere)
    const { authenticate } = buildAuthentication(store, 'production', fromNowhere, strangers)
    const authorization = `Bearer ${animals.key}`
    const request = { headers: { authorization }, rawHeaders: ['Authorization', authorization] } as IncomingMessage
    const call = { request, now, decision: undefined, keyId: undefined }
    const caller = await authenticate(call)
    if (caller instanceof Refusal) throw caller
    const decision = await limiter.consume(caller, SOURCE, now)
    const body = Buffer.from(NEW_ANIMAL)
    const json = parseJson(body) as Record<string, unknown>
    const check = buildCheck(NewPet, 'invalid_body')

    return [
      await time('consume a call', () => limiter.consume(caller, SOURCE, now)),
      await time('authenticate a known key', () => authenticate(call)),
      await time('rate-limit headers', () => limitLines(decision)),
      await time('request id', () => requestIdOf(undefined)),
      await time('parse a creation', () => parseJson(body)),
      await time('check a creation', () => check(json)),
    ]
  } finally {
    await store.close()
  }
}

/** The first batch is a warm-up. */
async function time(name: string, call: () => unknown): Promise<Figure> {
  const nanoseconds: number[] = []
  for (let batch = 0; batch <= BATCHES; batch++) {
    const startedAt = performance.now()
    for (let count = 0; count < CALLS; count++) {
      const result = call()
      if (result instanceof Promise) await result
    }
    if (batch > 0) nanoseconds.push(((performance.now() - startedAt) / CALLS) * 1e6)
  }
  return figure(name, 'ns', nanoseconds)
}
