import assert from 'node:assert/strict'
import { call } from './call.ts'
import type { Answer } from './raw.ts'
import type { TestService } from './service.ts'

/** An animal as JSON text; members given as text replace the default ones, and `undefined` leaves them out. */
export function petJson(members: Record<string, string | undefined> = {}): string {
  const all: Record<string, string | undefined> = { name: '"Rex"', categoryId: '7', ...members }
  const written = Object.entries(all).filter(([, json]) => json !== undefined)
  return `{${written.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`
}

export async function createPet(
  service: TestService,
  key: string,
  members: Record<string, string | undefined> = {},
): Promise<Answer> {
  const answer = await call(service, { method: 'POST', path: '/v1/pets', key, body: petJson(members) })
  assert.equal(answer.status, 201, answer.text)
  return answer
}

export async function createPets(
  service: TestService,
  key: string,
  count: number,
  status = 'available',
): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => createPet(service, key, { status: JSON.stringify(status) })))
}

/** The targets of an answer's links, by relation. */
export function readLinks(answer: Answer): Record<string, string> {
  const links = answer.all('link').flatMap(value => value.split(/,\s*(?=<)/))
  return Object.fromEntries(
    links.map(link => {
      const parts = /^<([^>]*)>;.*\brel="([^"]+)"/.exec(link)
      assert.ok(parts, `a link: ${link}`)
      return [parts[2] ?? '', parts[1] ?? '']
    }),
  )
}

/** The request target on this service of a URL in one of its answers. */
export function targetOf(service: TestService, url: string): string {
  assert.ok(url.startsWith(`${service.baseUrl}/`), `${url} begins with the public base address ${service.baseUrl}`)
  return `/v1${url.slice(service.baseUrl.length)}`
}

/** Follows `rel="next"` to the end; `onPage` can do something between the pages. */
export async function walk(
  service: TestService,
  key: string,
  path: string,
  onPage: (page: Answer) => Promise<void> | void = () => {},
): Promise<bigint[]> {
  const ids: bigint[] = []
  for (let target: string | undefined = path; target !== undefined; ) {
    const page: Answer = await call(service, { path: target, key })
    assert.equal(page.status, 200, page.text)
    ids.push(...page.json.map((pet: { id: number }) => BigInt(pet.id)))
    await onPage(page)
    const { next }: Record<string, string> = readLinks(page)
    target = next === undefined ? undefined : targetOf(service, next)
  }
  return ids
}
