import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SqliteStore } from '../../../src/sqlite/store.ts'
import { SOURCE } from '../source.ts'
import { createCaller, openLimiters } from './redis-limiters.ts'

// A separate process that opens limiters on the given Redis, makes calls, and closes them. Then it should end.

const [url = ''] = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'petstore-limiters-process-'))
const store = await SqliteStore.open(folder, 'production')
const { accounts, addresses, lost, close } = await openLimiters([url], { store })
const caller = await createCaller(store, { perMinute: 60, perDay: 1_000 })
const calls = Array.from({ length: 20 }, () => accounts.consume(caller, SOURCE, Date.now()))
const decisions = await Promise.all([...calls, addresses.consume('192.0.2.1', Date.now())])
const underWay = accounts.consume(caller, SOURCE, Date.now())
await close()
const outcomes = new Set([...decisions, await underWay].map(({ outcome }) => outcome))
await store.close()
await rm(folder, { recursive: true })
process.stdout.write(JSON.stringify({ lost: lost.length, outcomes: [...outcomes] }))
