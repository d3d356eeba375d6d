/** 5 December 2025: since then `getPet` is deprecated. */
const DEPRECATED_AT = Date.UTC(2025, 11, 5)
/** 5 December 2030: from this instant on it answers 410. */
export const SUNSET_AT = Date.UTC(2030, 11, 5)

/** The headers of every answer of the deprecated operation: RFC 9745, RFC 8594, and where to read on (RFC 8288, RFC 5829). */
export function deprecationHeaders(baseUrl: string): readonly string[] {
  const guide = baseUrl.replace(/\/v1$/, '/docs/guides/deprecation')
  return [
    'Deprecation',
    `@${DEPRECATED_AT / 1_000}`,
    'Sunset',
    new Date(SUNSET_AT).toUTCString(),
    'Link',
    `<${guide}>; rel="deprecation"; type="text/html", <${baseUrl}/pets>; rel="successor-version"`,
  ]
}
