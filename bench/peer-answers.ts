import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Program } from './program.ts'

/** A server that does the whole job. */
export interface Candidate {
  key: string
  /** @param under a command that runs the server */
  start(under: readonly string[]): Promise<Program>
}

const CREATIONS = 10

/** Calls that are refused: status, method, path, body. */
const REFUSED: readonly (readonly [number, string, string, string?])[] = [
  ...['limit=0', 'limit=101', 'limit=x', 'status=lost'].map(query => [400, 'GET', `/v1/pets?${query}`] as const),
  ...['999999', 'rex'].map(id => [404, 'GET', `/v1/pets/${id}`] as const),
  ...[
    '"name":"","categoryId":1}',
    '"categoryId":1}',
    '"name":"R","categoryId":1.5}',
    '"name":"R","categoryId":1,"status":"lost"}',
    '',
  ].map(body => [400, 'POST', '/v1/pets', `{${body}`] as const),
]

/** @throws Error unless the server answers correctly, refuses invalid calls, and writes each new animal to the disk */
export async function checkAnswers({ key, start }: Candidate, folder: string): Promise<void> {
  const traced = join(folder, `${Math.random()}.strace`)
  await using server = await start(['strace', '-D', '-f', '-q', '-e', 'trace=fsync,fdatasync', '-o', traced])
  const call = async (method: string, path: string, body?: string, authorization = `Bearer ${key}`) => {
    const headers = { Authorization: authorization, ...(body !== undefined && { 'Content-Type': 'application/json' }) }
    const answer = await fetch(server.url + path, { method, headers, ...(body !== undefined && { body }) })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) }
  }
  for (const authorization of ['Bearer unknown', '']) {
    assert.equal((await call('GET', '/v1/pets/5', undefined, authorization)).status, 401)
    assert.equal((await call('POST', '/v1/pets', '{"name":"Rex","categoryId":1}', authorization)).status, 401)
  }
  for (const [status, method, path, body] of REFUSED) {
    assert.equal((await call(method, path, body)).status, status, `${method} ${path} ${body}`)
  }

  const list = await call('GET', '/v1/pets')
  assert.equal(list.body.length, 20)
  assert.deepEqual(list.body[6], { id: 7, name: 'Some animal 7', categoryId: 0, status: 'pending' })
  const next = /<([^>]+)>; rel="next"/.exec(list.headers.get('Link') ?? '')?.[1] ?? ''
  const { pathname, search } = new URL(next, server.url)
  assert.equal((await call('GET', pathname + search)).body[0].id, 21)
  const sold = (await call('GET', '/v1/pets?status=sold&limit=3')).body as { id: number; status: string }[]
  assert.equal(sold.map(({ id, status }) => `${id} ${status}`).join(), '2 sold,5 sold,8 sold')
  const found = await call('GET', '/v1/pets/500')
  assert.deepEqual(found.body, { id: 500, name: 'Some animal 500', categoryId: 3, status: 'sold' })

  const before = syncs(traced)
  for (let count = 0; count < CREATIONS; count++) {
    const created = await call('POST', '/v1/pets', '{"name":"Rex","categoryId":3}')
    assert.equal(created.status, 201)
    assert.deepEqual(created.body, { id: created.body.id, name: 'Rex', categoryId: 3, status: 'available' })
    const location = new URL(created.headers.get('Location') ?? '', server.url)
    assert.deepEqual((await call('GET', location.pathname)).body, created.body)
  }
  const written = syncs(traced) - before
  assert.ok(written >= CREATIONS, `${CREATIONS} creations were written to the disk ${written} times`)
}

function syncs(file: string): number {
  return readFileSync(file, 'utf8').split('sync(').length - 1
}
