import { Refusal } from '../http/refusal.ts'
import type { Operation } from '../http/routes.ts'
import { DEPRECATED_AT, SUNSET_AT } from '../schema/deprecation.ts'
import type { PublicCall } from './call.ts'

/** The headers of every answer of the deprecated operation: RFC 9745, RFC 8594, and links to its guide and successor (RFC 8288, RFC 5829). */
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

/** Carries out an operation until its sunset, and refuses it after that. */
export function untilSunset(handle: Operation<PublicCall>['handle']): Operation<PublicCall>['handle'] {
  return (call, ...parameters) => {
    if (call.now >= SUNSET_AT) throw new Refusal('operation_removed')
    return handle(call, ...parameters)
  }
}
