import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Program } from './program.ts'

interface Pet {
  id: number
  name: string
  categoryId: number
  status: string
}

/** A server that does the whole job. */
export interface Candidate {
  key: string
  /** @param under a command that runs the server */
  start(under?: readonly string[]): Promise<Program>
}

const CREATIONS = 10

/** @throws Error unless the server answers correctly, refuses invalid calls, and writes each new animal to the disk */
export async function checkAnswers({ key, start }: Candidate, folder: string): Promise<void> {
  const calls = join(folder, `${Math.random()}.strace`)
  const trace = ['strace', '-D', '-f', '-q', '-e', 'trace=fsync,fdatasync', '-o', calls]
  await using server = await start(trace)
  const call = async (method: string, path: string, body?: string, authorization = `Bearer ${key}`) => {
    const headers = { Authorization: authorization, ...(body !== undefined && { 'Content-Type': 'application/json' }) }
    const answer = await fetch(server.url + path, { method, headers, ...(body !== undefined && { body }) })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) }
  }
  const assertStatus = async (expected: number, ...args: Parameters<typeof call>) => {
    const { status } = await call(...args)
    assert.equal(status, expected, `${args[0]} ${args[1]} ${args[2] ?? ''}`)
  }

  await assertStatus(401, 'GET', '/v1/pets', undefined, 'Bearer unknown')
  await assertStatus(401, 'GET', '/v1/pets/5', undefined, '')
  await assertStatus(401, 'POST', '/v1/pets', '{"name":"Rex","categoryId":1}', 'Bearer unknown')

  const list = await call('GET', '/v1/pets')
  assert.equal(list.status, 200)
  assert.deepEqual(
    list.body.map(({ id }: Pet) => id),
    Array.from({ length: 20 }, (_, index) => index + 1),
  )
  assert.deepEqual(list.body[6], { id: 7, name: 'Some animal 7', categoryId: 0, status: 'pending' })
  const next = /<([^>]+)>; rel="next"/.exec(list.headers.get('Link') ?? '')?.[1] ?? ''
  const { pathname, search } = new URL(next, server.url)
  assert.equal((await call('GET', pathname + search)).body[0].id, 21)
  const sold = await call('GET', '/v1/pets?status=sold&limit=3')
  assert.deepEqual(
    sold.body.map(({ id, status }: Pet) => `${id} ${status}`),
    ['2 sold', '5 sold', '8 sold'],
  )
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'status=lost'])
    await assertStatus(400, 'GET', `/v1/pets?${query}`)

  const found = await call('GET', '/v1/pets/500')
  assert.deepEqual(found.body, { id: 500, name: 'Some animal 500', categoryId: 3, status: 'sold' })
  await assertStatus(404, 'GET', '/v1/pets/999999')
  await assertStatus(404, 'GET', '/v1/pets/rex')

  for (const body of ['{"name":"","categoryId":1}', '{"categoryId":1}', '{"name":"Rex","categoryId":1.5}', '{']) {
    await assertStatus(400, 'POST', '/v1/pets', body)
  }
  await assertStatus(400, 'POST', '/v1/pets', '{"name":"Rex","categoryId":1,"status":"lost"}')
  const before = syncs(calls)
  for (let count = 0; count < CREATIONS; count++) {
    const created = await call('POST', '/v1/pets', '{"name":"Rex","categoryId":3}')
    assert.equal(created.status, 201)
    assert.deepEqual(created.body, { id: created.body.id, name: 'Rex', categoryId: 3, status: 'available' })
    const { pathname } = new URL(created.headers.get('Location') ?? '', server.url)
    assert.deepEqual((await call('GET', pathname)).body, created.body)
  }
  const after = syncs(calls)
  assert.ok(after - before >= CREATIONS, `${CREATIONS} creations were written to the disk ${after - before} times`)
}

function syncs(file: string): number {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line.includes('sync(')).length
}
