import type { StoreClock } from '../domain/clock.ts'
import type { Store } from '../domain/store.ts'
import { record } from './audit.ts'
import type { Dialect } from './dialect.ts'
import { plainWrite, shortRead } from './operation.ts'
import { optional, rowReader, TIME } from './row-reader.ts'
import { only } from './statement.ts'
import { run } from './write.ts'

const clockOf = rowReader<StoreClock>('the clock', { confirmedAt: optional(TIME), serverTime: optional(TIME) })

export const clockOperations = ({ serverTime }: Dialect) => ({
  readClock: shortRead(() =>
    only('store', `SELECT clock_confirmed_at AS confirmed_at, ${serverTime} AS server_time FROM store`, clockOf),
  ),
  confirmClock: plainWrite<Store['confirmClock']>(function* (at, entry) {
    yield* run('UPDATE store SET clock_confirmed_at = ?', at)
    if (entry) yield* record(entry)
  }),
})
