import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { correctPet, deletePet, findPet } from '../../src/domain/administration/pets.ts'
import { adminContext } from '../support/admin-context.ts'
import { assertRefused, assertRefusedAs, call, send } from '../support/call.ts'
import { untilOthersWritesShow } from '../support/eventually.ts'
import { createPet, createPets, readLinks, targetOf, walk } from '../support/pets.ts'
import { startTestService } from '../support/service.ts'

// Specification, "GET /pets", and contract, "Operations".

const service = await startTestService({ after })
const { key } = await service.createCaller()
await createPets(service, key, 30)
await createPets(service, key, 10, 'pending')
await createPets(service, key, 5, 'sold')

const list = (query = '', headers: Record<string, string> = {}) =>
  call(service, { path: `/v1/pets${query}`, key, headers })

test('the list is a JSON array of animals by ascending id', async () => {
  const answer = await list('?limit=100')
  assert.equal(answer.status, 200)
  assert.deepEqual(
    answer.json.map((pet: { id: number }) => pet.id),
    Array.from({ length: 45 }, (_, index) => index + 1),
  )
  for (const pet of answer.json) assert.deepEqual(Object.keys(pet).toSorted(), ['categoryId', 'id', 'name', 'status'])
})

test('an empty store lists an empty array', async t => {
  const own = await startTestService(t)
  const { key } = await own.createCaller()
  const answer = await call(own, { path: '/v1/pets', key })
  assert.equal(answer.text, '[]')
  assert.equal(readLinks(answer).next, undefined)
})

test('limit is from 1 to 100 in plain decimal, 20 when omitted', async t => {
  for (const [query, length] of [
    ['', 20],
    ['?limit=1', 1],
    ['?limit=7', 7],
    ['?limit=45', 45],
    ['?limit=100', 45],
  ] as const) {
    await t.test(query || 'omitted', async () => assert.equal((await list(query)).json.length, length))
  }
})

test('any other limit, a repeated or an empty one is 400', async t => {
  const limits = [
    '0',
    '101',
    '-1',
    '%2B5',
    '05',
    '1.0',
    '1e1',
    '0x10',
    'ten',
    '%205',
    '5%20',
    '1_0',
    '',
    '5,6',
    '٥',
    'NaN',
  ]
  const queries = [...limits.map(limit => `?limit=${encode(limit)}`), '?limit=5&limit=5', '?limit=5&limit=6', '?limit']
  for (const query of [...queries, '?limit=99999999999999999999', '?limit=5&status=sold&limit=']) {
    await t.test(query, async () => assertRefused(await list(query), 'invalid_parameter'))
  }
})

test('status restricts the list to animals with this status', async t => {
  for (const [status, length] of [
    ['available', 30],
    ['pending', 10],
    ['sold', 5],
  ] as const) {
    await t.test(status, async () => {
      const pets = (await list(`?status=${status}&limit=100`)).json
      assert.equal(pets.length, length)
      for (const pet of pets) assert.equal(pet.status, status)
    })
  }
})

test('status is one of the three in exact case; anything else, a repeated or an empty one is 400', async t => {
  const statuses = ['Available', 'SOLD', 'gone', '', '%20sold', 'sold,pending', 'null', 'undefined', '__proto__']
  for (const query of [...statuses.map(status => `?status=${status}`), '?status=sold&status=sold', '?status']) {
    await t.test(query, async () => assertRefused(await list(query), 'invalid_parameter'))
  }
})

test('the refusal of a repeated parameter says so, because each of its values may be valid', async t => {
  for (const [query, name] of [
    ['?limit=5&limit=5', 'limit'],
    ['?status=sold&limit=5&status=sold', 'status'],
    ['?cursor=x&%63ursor=x', 'cursor'],
  ] as const) {
    await t.test(query, async () => assert.equal((await list(query)).json.message, `${name} must be sent only once.`))
  }
})

test('a badly encoded parameter is 400', async t => {
  for (const query of ['?limit=%', '?limit=%zz', '?status=%ff', '?cursor=%c3%28']) {
    await t.test(query, async () => assert.equal((await list(query)).status, 400))
  }
})

test('unknown parameters are ignored in any form', async t => {
  const plain = (await list()).text
  for (const query of [
    '?foo=bar',
    '?foo',
    '?foo=1&foo=2',
    '?Limit=5',
    '?STATUS=sold',
    '?',
    '?&&',
    '?=',
    '?offset=20&page=2',
    '?constructor=1&constructor=2&__proto__=1&__proto__=2',
  ]) {
    await t.test(query, async () => {
      const answer = await list(query)
      assert.equal(answer.status, 200)
      assert.equal(answer.text, plain)
    })
  }
})

test('Link rel="next" leads to the next page, and the last page lacks it', async () => {
  const first = await list('?limit=40')
  const { next } = readLinks(first)
  assert.ok(next)
  const second = await call(service, { path: targetOf(service, next), key })
  assert.deepEqual(
    second.json.map((pet: { id: number }) => pet.id),
    [41, 42, 43, 44, 45],
  )
  assert.equal(readLinks(second).next, undefined)
  assert.equal(readLinks(await list('?limit=45')).next, undefined, 'a full last page lacks it as well')
})

test('rel="first" leads back to the first page of the same list', async () => {
  const first = await list('?limit=4&status=pending')
  const second = await call(service, { path: targetOf(service, readLinks(first).next ?? ''), key })
  const { first: link } = readLinks(second)
  assert.ok(link)
  assert.equal((await call(service, { path: targetOf(service, link), key })).text, first.text)
})

test('the next page keeps limit and status', async () => {
  const { next } = readLinks(await list('?status=pending&limit=4'))
  const parameters = new URL(next ?? '').searchParams
  assert.equal(parameters.get('limit'), '4')
  assert.equal(parameters.get('status'), 'pending')
  assert.deepEqual([...parameters.keys()].toSorted(), ['cursor', 'limit', 'status'])
  const pets = (await call(service, { path: targetOf(service, next ?? ''), key })).json
  assert.equal(pets.length, 4)
  for (const pet of pets) assert.equal(pet.status, 'pending')
})

test('a page may be requested with another limit', async () => {
  const cursor = cursorOf(await list('?limit=10'))
  assert.deepEqual(
    (await list(`?limit=2&cursor=${cursor}`)).json.map((pet: { id: number }) => pet.id),
    [11, 12],
  )
})

test('a cursor is opaque', async () => {
  const cursor = cursorOf(await list('?limit=10'))
  assert.match(cursor, /^[A-Za-z0-9_-]{20,}$/)
})

test('a cursor is bound to its filter', async () => {
  const cursor = cursorOf(await list('?limit=2'))
  const sold = cursorOf(await list('?limit=2&status=sold'))
  for (const query of [`?cursor=${cursor}&status=sold`, `?cursor=${sold}`, `?cursor=${sold}&status=pending`]) {
    assertRefused(await list(query), 'invalid_cursor')
  }
  assert.equal((await list(`?cursor=${sold}&status=sold`)).status, 200)
})

test('a bad, forged or foreign cursor is 400', async t => {
  const cursor = cursorOf(await list('?limit=2'))
  await t.test('bad', async () => {
    for (const bad of [
      'x',
      '1',
      'null',
      cursor.slice(1),
      `${cursor}A`,
      `${cursor}%3D`,
      `%20${cursor}`,
      cursor.toLowerCase(),
    ]) {
      assertRefused(await list(`?cursor=${bad}`), 'invalid_cursor')
    }
  })
  await t.test('forged in any place', async () => {
    for (let index = 0; index < cursor.length; index++) {
      const forged = `${cursor.slice(0, index)}${cursor[index] === 'A' ? 'B' : 'A'}${cursor.slice(index + 1)}`
      assertRefused(await list(`?cursor=${forged}`), 'invalid_cursor')
    }
  })
  await t.test('of another store', async t => {
    const other = await startTestService(t)
    const { key } = await other.createCaller()
    await createPets(other, key, 3)
    const foreign = cursorOf(await call(other, { path: '/v1/pets?limit=2', key }))
    assertRefused(await list(`?cursor=${foreign}`), 'invalid_cursor')
  })
  await t.test('repeated or empty', async () => {
    for (const query of [`?cursor=${cursor}&cursor=${cursor}`, '?cursor=', '?cursor']) {
      assertRefusedAs(await list(query), ['invalid_parameter', 'invalid_cursor'])
    }
  })
})

test('a cursor outlives a restart', async t => {
  const own = await startTestService(t)
  const { key } = await own.createCaller()
  await createPets(own, key, 3)
  const cursor = cursorOf(await call(own, { path: '/v1/pets?limit=2', key }))
  await own.close()
  const next = await own.startAnother()
  assert.equal((await call(next, { path: `/v1/pets?cursor=${cursor}`, key })).json[0].id, 3)
})

test('the URL in Link is built from the public base address, never from Host', async t => {
  const evil = 'GET /v1/pets?limit=1 HTTP/1.1\r\nHost: evil.example'
  await t.test('without a setting, it is the address listened on', async () => {
    assert.equal(service.baseUrl, `${service.url}/v1`)
    const headers: [string, string][] = [
      ['X-Forwarded-Host', 'evil.example'],
      ['Forwarded', 'host=evil.example'],
    ]
    const answer = await call(service, { path: '/v1/pets?limit=1', key, headers })
    assert.ok(readLinks(answer).next?.startsWith(`${service.baseUrl}/pets?`))
  })
  await t.test('with a setting, it is that', async t => {
    const own = await startTestService(t, { config: { publicUrls: { production: 'https://pets.example/shop/v1' } } })
    const { key } = await own.createCaller()
    await createPets(own, key, 2)
    assert.equal(own.baseUrl, 'https://pets.example/shop/v1')
    const answer = await send(own, `${evil}\r\nAuthorization: Bearer ${key}\r\n\r\n`)
    const { next } = readLinks(answer)
    assert.equal(next?.split('?')[0], 'https://pets.example/shop/v1/pets')
    assert.doesNotMatch(JSON.stringify(answer.headers), /evil/)
  })
})

test('all pages together have every animal that existed at the start exactly once, even if some are added meanwhile', async t => {
  for (const [query, limit] of [
    ['', 3],
    ['status=available', 4],
  ] as const) {
    await t.test(query || 'all', async t => {
      const own = await startTestService(t)
      const { key } = await own.createCaller()
      await createPets(own, key, 10)
      await createPets(own, key, 10, 'sold')
      const existing = (await call(own, { path: `/v1/pets?limit=100&${query}`, key })).json.map((pet: { id: number }) =>
        BigInt(pet.id),
      )
      let added = 0
      const met = await walk(own, key, `/v1/pets?limit=${limit}&${query}`, async () => {
        if (added++ < 6) await createPets(own, key, 2, added % 2 ? 'available' : 'sold')
      })
      assert.deepEqual(
        met,
        [...new Set(met)].toSorted((one, other) => Number(one - other)),
        'ascending, none twice',
      )
      for (const id of existing) assert.ok(met.includes(id), `met ${id}`)
    })
  }
})

test('the list has a strong ETag; If-None-Match with it is 304', async () => {
  const answer = await list('?limit=3')
  const etag = answer.header('etag') ?? ''
  assert.match(etag, /^"[^"]+"$/)
  assert.equal((await list('?limit=3')).header('etag'), etag)
  const unchanged = await list('?limit=3', { 'If-None-Match': etag })
  assert.equal(unchanged.status, 304)
  assert.equal(unchanged.body.length, 0)
  assert.equal(unchanged.header('etag'), etag)
  assert.equal(unchanged.header('cache-control'), 'private, no-cache')
})

test('If-None-Match accepts lists, weak forms and *', async t => {
  const etag = (await list('?limit=3')).header('etag') ?? ''
  const named = (value: string) => value.replaceAll(etag.slice(1, -1), 'tag')
  const matching = [etag, `W/${etag}`, `"x", ${etag}`, `${etag},"y"`, `"a,b" , W/${etag}`, '*']
  for (const value of matching) {
    await t.test(`${named(value)} is 304`, async () =>
      assert.equal((await list('?limit=3', { 'If-None-Match': value })).status, 304),
    )
  }
  for (const value of ['"x"', 'W/"x"', etag.slice(0, -1), etag.replaceAll('"', ''), '', `"x${etag.slice(1)}`]) {
    await t.test(`${named(value)} is 200`, async () =>
      assert.equal((await list('?limit=3', { 'If-None-Match': value })).status, 200),
    )
  }
})

test("two different pages have different ETags, and a page's changes when a next page appears", async t => {
  const own = await startTestService(t)
  const { key } = await own.createCaller()
  const etagOf = async (path: string) => (await call(own, { path, key })).header('etag') ?? ''
  const empty = await etagOf('/v1/pets?limit=1')
  await createPet(own, key)
  const last = await etagOf('/v1/pets?limit=1')
  await createPet(own, key)
  const answer = await call(own, { path: '/v1/pets?limit=1', key, headers: { 'If-None-Match': last } })
  assert.equal(answer.status, 200)
  assert.ok(readLinks(answer).next)
  assert.equal(new Set([empty, last, answer.header('etag'), await etagOf('/v1/pets?limit=2')]).size, 4)
})

test('the list is private and must be revalidated', async () => {
  assert.equal((await list()).header('cache-control'), 'private, no-cache')
})

test('an animal added by another process is in the next list', async t => {
  const own = await startTestService(t)
  const { key } = await own.createCaller()
  await createPet(own, key)
  const other = await own.openStore()
  assert.equal((await call(own, { path: '/v1/pets', key })).json.length, 1)
  await other.createPet({ name: 'Mia', categoryId: 1n, status: 'sold' }, own.clock.now)
  await untilOthersWritesShow()
  assert.equal((await call(own, { path: '/v1/pets', key })).json.length, 2)
  assert.equal((await createPet(own, key)).json.id, 3)
})

test('an animal corrected or deleted by another process changes the next list, and the next read of it', async t => {
  const own = await startTestService(t)
  const { key } = await own.createCaller()
  await createPets(own, key, 3)
  const full = await call(own, { path: '/v1/pets?limit=2', key })
  const before = await call(own, { path: '/v1/pets/2', key })
  const operator = adminContext(await own.openStore(), own.clock.now)

  const rex = await findPet(operator.store, '2')
  const renamed = await correctPet(operator, rex, { name: 'Corrected', status: 'sold' })
  await untilOthersWritesShow()
  const corrected = { id: 2, name: 'Corrected', categoryId: 7, status: 'sold' }
  const list = await call(own, { path: '/v1/pets?limit=2', key })
  assert.deepEqual(list.json[1], corrected)
  assert.notEqual(list.header('etag'), full.header('etag'))
  const after = await call(own, { path: '/v1/pets/2', key })
  assert.deepEqual(after.json, corrected)
  assert.notEqual(after.header('etag'), before.header('etag'))

  await deletePet(operator, renamed)
  await untilOthersWritesShow()
  const ids = (await call(own, { path: '/v1/pets?limit=2', key })).json.map((pet: { id: number }) => pet.id)
  assert.deepEqual(ids, [1, 3])
  assertRefused(await call(own, { path: '/v1/pets/2', key }), 'pet_not_found')
})

function cursorOf(answer: Awaited<ReturnType<typeof call>>): string {
  return new URL(readLinks(answer).next ?? '').searchParams.get('cursor') ?? ''
}

function encode(text: string): string {
  return /^[\x21-\x7e]*$/.test(text) ? text : encodeURIComponent(text)
}
