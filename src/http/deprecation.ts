import type { DeprecatedCalls, Store } from '../domain/store.ts'

/** 5 December 2025: since then `getPet` is deprecated. */
const DEPRECATED_AT = Date.UTC(2025, 11, 5)
/** 5 December 2030: from this instant on it answers 410. */
export const SUNSET_AT = Date.UTC(2030, 11, 5)

/** The headers of every answer of the deprecated operation: RFC 9745, RFC 8594, and where to read on (RFC 8288, RFC 5829). */
export function deprecationHeaders(baseUrl: string): readonly string[] {
  const docs = new URL('/docs', baseUrl)
  return [
    'Deprecation',
    `@${DEPRECATED_AT / 1_000}`,
    'Sunset',
    new Date(SUNSET_AT).toUTCString(),
    'Link',
    `<${docs}>; rel="deprecation"; type="text/html", <${baseUrl}/pets>; rel="successor-version"`,
  ]
}

/** Who still calls the deprecated operation, kept in memory until it is next saved. */
export class DeprecatedUse {
  readonly #store: Store
  #calls = new Map<bigint, DeprecatedCalls>()

  constructor(store: Store) {
    this.#store = store
  }

  add(accountId: bigint, now: number): void {
    const { calls } = this.#calls.get(accountId) ?? { calls: 0 }
    this.#calls.set(accountId, { accountId, calls: calls + 1, lastAt: now })
  }

  async save(): Promise<void> {
    const calls = [...this.#calls.values()]
    this.#calls = new Map()
    await this.#store.addDeprecatedCalls(calls)
  }
}
