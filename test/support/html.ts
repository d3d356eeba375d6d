import assert from 'node:assert/strict'

const VOID = new Set(['circle', 'ellipse', 'hr', 'img', 'input', 'link', 'meta', 'path', 'wbr'])

/** Asserts that elements are closed properly and in order, and that ids are unique. */
export function assertWellFormed(html: string): void {
  const open: string[] = []
  for (const [tag, slash, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)\b(?:[^>"]|"[^"]*")*>/g)) {
    if (slash) assert.equal(open.pop(), name, `${tag} closes what was opened last`)
    else if (!VOID.has(name)) open.push(name)
  }
  assert.deepEqual(open, [])
  const ids = idsOf(html)
  assert.equal(new Set(ids).size, ids.length, `no id twice: ${ids}`)
  assert.doesNotMatch(html.replaceAll(/<[^<>]*>/g, ''), /[<>]|&(?!#?\w+;)/, 'no bare < > &')
}

export function idsOf(html: string): string[] {
  return valuesOf(html, 'id')
}

/** Every address that the page names, unescaped. */
export function addressesOf(html: string): string[] {
  return ['href', 'src', 'data-engine', 'data-index']
    .flatMap(attribute => valuesOf(html, attribute))
    .map(address => address.replaceAll('&amp;', '&'))
}

const ENTITIES: Record<string, string> = { quot: '"', '#39': "'", '#x27': "'", lt: '<', gt: '>', amp: '&' }

/** The text that a reader sees. */
export function textOf(html: string): string {
  return html.replaceAll(/<[^>]*>/g, '').replaceAll(/&([^;]+);/g, (entity, name) => ENTITIES[name] ?? entity)
}

function valuesOf(html: string, attribute: string): string[] {
  return [...html.matchAll(new RegExp(`<[^>]* ${attribute}="([^"]*)"`, 'g'))].map(match => match[1] as string)
}
