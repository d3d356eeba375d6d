import type { Call } from '../http/call.ts'

export function wantsPage({ request: { method, headers } }: Call): boolean {
  return (method === 'GET' || method === 'HEAD') && prefersPage(headers)
}

/**
 * Whether a client accepts `text/html` by name (RFC 9110, section 12.5.1) and does not prefer JSON. Programs usually accept anything, and
 * get JSON.
 */
export function prefersPage(headers: Call['request']['headers']): boolean {
  const accepted = (headers.accept ?? '').toLowerCase().split(',')
  const html = qualityOf('text/html', accepted)
  return html > 0 && html >= qualityOf('application/json', accepted)
}

function qualityOf(type: string, accepted: readonly string[]): number {
  const range = accepted.find(one => one.split(';', 1)[0]?.trim() === type)
  if (range === undefined) return 0
  const quality = /;\s*q=([\d.]+)/.exec(range)?.[1]
  return quality === undefined ? 1 : Number(quality)
}
