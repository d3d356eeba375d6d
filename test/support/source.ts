import type { Source } from '../../src/domain/rate-limiter.ts'

/** The source of all calls in tests where it does not matter. */
export const SOURCE: Source = () => '192.0.2.7'
