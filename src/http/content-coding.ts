/** How content may be compressed, by its name in HTTP. */
export type Coding = 'br' | 'zstd' | 'gzip'

/** The weights of codings in `Accept-Encoding`, by name; `*` for all codings not named. */
type Weights = ReadonlyMap<string, number>

/** Clients send few distinct headers, and repeat them on every call. */
const MAX_KNOWN_HEADERS = 100
const known = new Map<string, Weights>()

/** Uncompressed content is acceptable unless the client excludes it, but any coding that the client names is preferred. */
const UNNAMED_IDENTITY = 0.0005

/**
 * Returns the client's preferred coding (RFC 9110, section 12.5.3). A header that excludes everything is ignored, as the RFC allows.
 * @param offered in our order of preference, for clients that have none
 * @param isWorthwhile whether the content is large enough that compression makes it smaller
 */
export function chooseCoding<Offered extends Coding>(
  acceptEncoding: string | undefined,
  offered: readonly Offered[],
  isWorthwhile = true,
): Offered | 'identity' {
  if (acceptEncoding === undefined) return 'identity'
  const weights = weightsOf(acceptEncoding)
  const unnamed = weights.get('*')
  const identity = weights.get('identity') ?? (unnamed === 0 ? 0 : UNNAMED_IDENTITY)
  if (identity > 0 && !isWorthwhile) return 'identity'
  let best: Offered | 'identity' = 'identity'
  let bestWeight = identity
  for (const coding of offered) {
    const weight = weights.get(coding) ?? unnamed ?? 0
    if (weight > bestWeight || (weight === bestWeight && weight > 0 && best === 'identity')) {
      best = coding
      bestWeight = weight
    }
  }
  return best
}

function weightsOf(header: string): Weights {
  const before = known.get(header)
  if (before) return before
  const weights = parseWeights(header)
  if (known.size === MAX_KNOWN_HEADERS) known.clear()
  known.set(header, weights)
  return weights
}

const ELEMENT = /^([\w!#$%&'*+.^`|~-]+)(?:[ \t]*;[ \t]*q=([01](?:\.\d{0,3})?))?$/i

/** Invalid elements are ignored. */
function parseWeights(header: string): Weights {
  const weights = new Map<string, number>()
  for (const element of header.split(',')) {
    const [, name = '', weight = '1'] = ELEMENT.exec(element.trim()) ?? []
    if (name !== '') weights.set(name.toLowerCase().replace(/^x-gzip$/, 'gzip'), Math.min(1, Number(weight)))
  }
  return weights
}
