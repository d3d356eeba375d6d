import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertRefused as assertRefusedInPublic, call as callPublic } from '../support/call.ts'
import { openDatabase } from '../support/database.ts'
import {
  type AdminAnswer,
  type AdminItem,
  assertRefused,
  linkOf,
  type OperatorService,
  startOperatorService,
  walk,
} from '../support/operator.ts'
import { only } from '../support/rate.ts'

// Animals in the admin API: staff search, add, correct and delete them. The public API shows changes from the next call.

const service = await startOperatorService({ after })
const { key } = await service.createCaller()
const INT64_MAX = 9_223_372_036_854_775_807n
const INT64_MIN = -INT64_MAX - 1n

const CATALOGUE = [
  { name: 'Rex', categoryId: 7n, status: 'available' },
  { name: 'T. rex', categoryId: INT64_MAX, status: 'sold' },
  { name: 'Ärger', categoryId: INT64_MIN, status: 'pending' },
  { name: 'Mimi 100% _ok_', categoryId: 0n, status: 'available' },
  { name: 'CAFÉ', categoryId: 7n, status: 'sold' },
  { name: '9007199254740993', categoryId: 9_007_199_254_740_993n, status: 'available' },
]

test('a change with If-Match: * succeeds while others change the animal, too, as long as it exists', async () => {
  const { id } = (await add(service, { name: 'Rex', categoryId: 1 })).value
  const changes = Array.from({ length: 30 }, (_, index) => correct(service, id, { name: `Max ${index}` }, '*'))
  assert.deepEqual(new Set((await Promise.all(changes)).map(({ status }) => status)), new Set([200]))
  const headers = { 'If-Match': '*' }
  const deletions = Array.from({ length: 10 }, () => service.call('DELETE', `/pets/${id}`, { headers }))
  const mixed = [correct(service, id, { name: 'Mia' }, '*'), ...deletions, correct(service, id, { name: 'Mia 2' }, '*')]
  const statuses = (await Promise.all(mixed)).map(({ status }) => status)
  assert.equal(statuses.filter(status => status === 204).length, 1)
  assert.ok(
    statuses.every(status => [200, 204, 404].includes(status)),
    String(statuses),
  )
})

test('animals are found by each filter, and by all together', async t => {
  const shop = await startOperatorService(t)
  for (const animal of CATALOGUE) assert.equal((await add(shop, animal)).status, 201)
  for (const [query, ids] of [
    ['', [1, 2, 3, 4, 5, 6]],
    ['name=rex', [1, 2]],
    ['name=%C3%84RG', [3]],
    ['name=a%CC%88rg', [3]],
    ['name=caf%C3%A9', [5]],
    ['name=%25', [4]],
    ['name=_', [4]],
    ['name=.', [2]],
    ["name='%20OR%20''='", []],
    ['status=sold', [2, 5]],
    ['status=sold,pending', [2, 3, 5]],
    ['status=pending,available,sold', [1, 2, 3, 4, 5, 6]],
    ['name=cafe', [5]],
    ['name=arger&status=pending,sold', [3]],
    ['sort=newest', [6, 5, 4, 3, 2, 1]],
    ['sort=newest&status=available&before=6', [4, 1]],
    ['sort=oldest&before=3', [1, 2]],
    ['sort=newest&after=4&before=6', [5]],
    ['categoryId=7', [1, 5]],
    ['categoryId=9223372036854775807', [2]],
    ['categoryId=-9223372036854775808', [3]],
    ['categoryId=9007199254740993', [6]],
    ['categoryId=9007199254740992', []],
    ['categoryId=0', [4]],
    ['id=4', [4]],
    ['id=9223372036854775807', []],
    ['id=4&status=sold', []],
    ['name=rex&status=sold', [2]],
    ['name=e&categoryId=7&status=available&id=1', [1]],
    ['after=4', [5, 6]],
    ['name=rex&after=1', [2]],
  ] as const) {
    const found = await shop.call('GET', `/pets?${query}`)
    assert.equal(found.status, 200, found.text)
    assert.deepEqual(
      found.value.map(({ id }: AdminItem) => Number(id)),
      ids,
      query,
    )
  }
})

test('a search for nothing but invisible characters or accents is refused, so that it selects nothing', async () => {
  const text = '\u200b\u0301\ufe0f'
  const typed = encodeURIComponent(text)
  const message = 'Searches ignore accents and invisible characters; the text must have at least one other character.'
  for (const path of [
    `/pets?name=${typed}`,
    `/pets/totals?name=${typed}`,
    `/pets/export?name=${typed}`,
    `/accounts?name=${typed}`,
    `/keys?search=${typed}`,
    `/categories?label=${typed}`,
  ]) {
    const refused = await service.call('GET', path)
    assert.deepEqual(
      [refused.status, refused.value.code, refused.value.message],
      [400, 'invalid_parameter', message],
      path,
    )
  }
  const body = { filter: { name: text } }
  for (const [path, more] of [
    ['/pets/bulk/preview', {}],
    ['/pets/bulk/delete', { version: 'any' }],
    ['/pets/bulk/correct', { version: 'any', change: { status: 'sold' } }],
  ] as const) {
    const refused = await service.call('POST', path, { body: { ...body, ...more } })
    assert.deepEqual([refused.status, refused.value.message], [400, message], path)
  }
})

test('an invalid filter is refused', async () => {
  for (const query of [
    'status=Sold',
    'status=gone',
    'status=,sold',
    'status=sold,',
    'sort=id',
    'categoryId=7.0',
    'categoryId=9223372036854775808',
    'id=one',
  ]) {
    assertRefused(await service.call('GET', `/pets?${query}`), 'invalid_parameter')
  }
})

test('the links lead through all pages and keep the filter', async t => {
  const shop = await startOperatorService(t)
  for (let n = 1; n <= 23; n += 1) await add(shop, { name: `Ré & ${n}`, status: n % 2 ? 'sold' : 'pending' })
  const odd = Array.from({ length: 12 }, (_, index) => BigInt(2 * index + 1))
  for (const [limit, pages] of [
    [5, 3],
    [4, 3],
    [12, 1],
    [100, 1],
    [1, 12],
  ] as const) {
    const walked = await walk(shop, `/pets?name=R%C3%A9+%26&status=sold&limit=${limit}`)
    assert.deepEqual([walked.pages, walked.items.map(({ id }) => id)], [pages, odd])
  }
  const one = await shop.call('GET', '/pets?limit=22')
  assert.equal(linkOf(one), '/pets?limit=22&after=22')
  for (let n = 24; n <= 51; n += 1) await add(shop, { name: `Ré ${n}` })
  assert.equal((await shop.call('GET', '/pets')).value.length, 50)
})

test('the links lead through all pages from the newest animal, too', async t => {
  const shop = await startOperatorService(t)
  for (let n = 1; n <= 13; n += 1) await add(shop, { status: n % 2 ? 'sold' : 'pending' })
  const odd = [13n, 11n, 9n, 7n, 5n, 3n, 1n]
  for (const [limit, pages] of [
    [3, 3],
    [7, 1],
    [1, 7],
  ] as const) {
    const walked = await walk(shop, `/pets?status=sold,available&sort=newest&limit=${limit}`)
    assert.deepEqual([walked.pages, walked.items.map(({ id }) => id)], [pages, odd])
  }
  const page = await shop.call('GET', '/pets?sort=newest&limit=2&after=1')
  assert.equal(linkOf(page), '/pets?sort=newest&limit=2&after=1&before=12')
})

test('each animal of a list has the ETag that a change of it needs', async t => {
  const shop = await startOperatorService(t)
  await add(shop)
  await add(shop)
  const [first, second] = (await shop.call('GET', '/pets')).value
  assert.notEqual(first.etag, second.etag)
  assert.equal(only(await shop.call('GET', '/pets/1'), 'ETag'), first.etag)
  assertRefused(await correct(shop, 1n, { name: 'Max' }, second.etag), 'precondition_failed')
  assert.equal((await correct(shop, 1n, { name: 'Max' }, first.etag)).status, 200)
  assertRefused(await correct(shop, 1n, { name: 'Moritz' }, first.etag), 'precondition_failed')
})

test('animals are counted by their status, for each filter', async t => {
  const shop = await startOperatorService(t)
  for (const animal of CATALOGUE) await add(shop, animal)
  for (const [query, counts] of [
    ['', [6n, 3n, 1n, 2n]],
    ['?categoryId=7', [2n, 1n, 0n, 1n]],
    ['?name=rex', [2n, 1n, 0n, 1n]],
    ['?name=rex&status=sold,pending', [1n, 0n, 0n, 1n]],
    ['?name=%00', [0n, 0n, 0n, 0n]],
    ['?name=nobody', [0n, 0n, 0n, 0n]],
  ] as const) {
    const { value } = await shop.call('GET', `/pets/totals${query}`)
    assert.deepEqual([value.total, value.available, value.pending, value.sold], counts, query)
  }
})

test('reading all pages returns every animal that existed at the start once, whatever is added and deleted in the meantime', async t => {
  const shop = await startOperatorService(t)
  for (let n = 1; n <= 9; n += 1) await add(shop)
  const met: bigint[] = []
  for (let next: string | undefined = '/pets?limit=2'; next; ) {
    const page: AdminAnswer = await shop.call('GET', next)
    met.push(...page.value.map(({ id }: AdminItem) => id))
    if (met.length === 4) {
      await add(shop)
      await shop.call('DELETE', '/pets/3', { headers: { 'If-Match': '*' } })
    }
    next = linkOf(page)
  }
  assert.deepEqual(met, [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 10n])
})

test('an added animal is returned exactly, with its Location and its ETag', async () => {
  for (const categoryId of [INT64_MAX, INT64_MIN, 9_007_199_254_740_993n, 0n]) {
    const added = await add(service, { name: ' Rex\u00a0🦖 ', categoryId, status: 'pending' })
    const { id } = added.value
    const etag = only(added, 'ETag')
    const animal = { id, name: ' Rex\u00a0🦖 ', categoryId, status: 'pending' }
    assert.deepEqual(added.value, { ...animal, categoryLabel: null, origin: null, etag })
    assert.equal(only(added, 'Location'), `/admin/v1/pets/${id}`)
    const read = await service.call('GET', `/pets/${id}`)
    assert.equal(read.text, added.text)
    assert.equal(only(read, 'ETag'), only(added, 'ETag'))
    assert.match(only(read, 'ETag'), /^"[\w-]+"$/)
  }
  const exact = await service.call('POST', '/pets', { body: '{"name":"Rex","categoryId":9.223372036854775807e18}' })
  assert.equal(exact.value.categoryId, INT64_MAX)
  assert.equal(exact.value.status, 'available')
})

test('an animal that the public API refuses is refused by the admin API with the same message, on creation and on correction', async () => {
  const { id } = (await add(service)).value
  const before = service.snapshot()
  for (const members of [
    '"name":""',
    '"name":" \\t "',
    `"name":"${'x'.repeat(256)}"`,
    `"name":"${'🦖'.repeat(256)}"`,
    '"name":"a\\u0000b"',
    '"name":"a\\nb"',
    '"name":"a\\u0085b"',
    '"name":null',
    '"name":5',
    '"name":["Rex"]',
    '"categoryId":1.5',
    '"categoryId":"1"',
    '"categoryId":true',
    '"categoryId":null',
    '"categoryId":9223372036854775808',
    '"status":"Sold"',
    '"status":null',
    '"name":"","categoryId":1.5,"status":"gone"',
    '"name":"\\ud800"',
    '"name":"a","name":"b"',
  ]) {
    const usual = [
      ['name', '"name":"Rex"'],
      ['categoryId', '"categoryId":7'],
    ] as const
    const rest = usual.filter(([name]) => !members.includes(`"${name}"`)).map(([, member]) => member)
    const body = `{${[members, ...rest].join(',')}}`
    const inPublic = await callPublic(service, { method: 'POST', path: '/v1/pets', key, body })
    const added = await service.call('POST', '/pets', { body })
    const headers = { 'If-Match': '*' }
    const corrected = await service.call('PATCH', `/pets/${id}`, { body: `{${members}}`, headers })
    assert.equal(inPublic.status, 400, members)
    for (const { json } of [added, corrected]) {
      const { errors: _, ...shared } = json
      assert.deepEqual(shared, inPublic.json)
    }
  }
  assert.deepEqual(service.snapshot(), before)
})

test('a correction changes the given members, and leaves the rest', async () => {
  const added = await add(service, { name: 'Rex', categoryId: 7n, status: 'pending' })
  const { id } = added.value
  for (const [change, animal] of [
    [{ name: 'Max' }, { id, name: 'Max', categoryId: 7n, status: 'pending' }],
    [{ categoryId: INT64_MAX }, { id, name: 'Max', categoryId: INT64_MAX, status: 'pending' }],
    [{ status: 'sold' }, { id, name: 'Max', categoryId: INT64_MAX, status: 'sold' }],
  ] as const) {
    const seen = await service.call('GET', `/pets/${id}`)
    const corrected = await correct(service, id, change, only(seen, 'ETag'))
    assert.deepEqual(corrected.value, { ...animal, categoryLabel: null, origin: null, etag: only(corrected, 'ETag') })
    assert.notEqual(only(corrected, 'ETag'), only(seen, 'ETag'))
    assert.equal(only(corrected, 'ETag'), only(await service.call('GET', `/pets/${id}`), 'ETag'))
  }
})

test('a correction that changes nothing keeps the ETag and leaves no entry', async () => {
  const added = await add(service, { name: 'Rex' })
  const before = service.snapshot()
  for (const change of [{}, { name: 'Rex' }]) {
    const answer = await correct(service, added.value.id, change, only(added, 'ETag'))
    assert.deepEqual([answer.status, answer.text, only(answer, 'ETag')], [200, added.text, only(added, 'ETag')])
  }
  assert.deepEqual(service.snapshot(), before)
})

test('a change requires the ETag that its sender has read', async t => {
  for (const method of ['PATCH', 'DELETE'] as const) {
    await t.test(method, async () => {
      const other = only(await add(service, { name: 'another' }), 'ETag')
      const added = await add(service)
      const { id } = added.value
      const etag = only(added, 'ETag')
      const attempt = (headers: Record<string, string>) => {
        return service.call(method, `/pets/${id}`, { headers, ...(method === 'PATCH' && { body: { name: 'Max' } }) })
      }
      const before = service.snapshot()
      assertRefused(await attempt({}), 'precondition_required', /If-Match/)
      assertRefused(await attempt({ 'If-None-Match': etag }), 'precondition_required')
      for (const seen of [
        other,
        `W/${etag}`,
        etag.slice(1, -1),
        etag.toLowerCase(),
        '',
        '""',
        `${other}, W/${etag}`,
        '"*"',
        '**',
      ]) {
        assertRefused(await attempt({ 'If-Match': seen }), 'precondition_failed')
      }
      assert.deepEqual(service.snapshot(), before)
    })
  }
})

test('a list of ETags matches if one of them does, and * matches any', async () => {
  const added = await add(service)
  const { id } = added.value
  for (const seen of [
    (etag: string) => `"other", ${etag}`,
    (etag: string) => `${etag},"other"`,
    (etag: string) => `W/"weak", ${etag}`,
    (etag: string) => `"a, W/b", ${etag}`,
    () => '*',
    () => ' * ',
  ]) {
    const etag = only(await service.call('GET', `/pets/${id}`), 'ETag')
    const answer = await correct(service, id, { name: `Max ${Math.random()}` }, seen(etag))
    assert.equal(answer.status, 200, `${seen(etag)}: ${answer.text}`)
  }
  assert.equal((await service.call('DELETE', `/pets/${id}`, { headers: { 'If-Match': '*' } })).status, 204)
})

test('if many change the same animal at once, exactly one succeeds, and the others get an error', async () => {
  for (let round = 0; round < 5; round += 1) {
    const added = await add(service)
    const { id } = added.value
    const etag = only(added, 'ETag')
    const attempts = Array.from({ length: 8 }, (_, n) => correct(service, id, { name: `writer ${n}` }, etag))
    const deletion = service.call('DELETE', `/pets/${id}`, { headers: { 'If-Match': etag } })
    const answers = await Promise.all([...attempts, deletion])
    const done = answers.filter(({ status }) => status < 300)
    assert.equal(done.length, 1)
    for (const answer of answers) {
      if (answer === done[0]) continue
      assert.match(answer.code, done[0]?.status === 204 ? /^precondition_failed$|^not_found$/ : /^precondition_failed$/)
    }
    const now = await service.call('GET', `/pets/${id}`)
    if (done[0]?.status === 204) assertRefused(now, 'not_found')
    else assert.equal(now.text, done[0]?.text)
    const written = (await service.call('GET', '/audit?limit=3')).value.filter(
      ({ subjectId, action }: AdminItem) => subjectId === id && action !== 'pet.create',
    )
    assert.equal(written.length, 1)
  }
})

test('a correction and a deletion show in the public API and its ETags from the next call', async () => {
  const shop = await startShop()
  const first = await shop.see()
  assert.equal((await correct(service, shop.id, { name: 'Maximilian', status: 'sold' }, '*')).status, 200)
  const second = await shop.see(first)
  assert.ok(second.one.text.includes('Maximilian') && second.list.text.includes('Maximilian'))
  assert.ok(!second.available.text.includes(`"id":${shop.id},`))
  assert.equal((await correct(service, shop.id, { name: 'Rex', status: 'available' }, '*')).status, 200)
  const third = await shop.see(second)
  assert.deepEqual(
    [third.one.text, third.one.header('etag'), third.list.header('etag')],
    [first.one.text, first.one.header('etag'), first.list.header('etag')],
  )
  assert.equal((await service.call('DELETE', `/pets/${shop.id}`, { headers: { 'If-Match': '*' } })).status, 204)
  const gone = await callPublic(service, { path: `/v1/pets/${shop.id}`, key, headers: conditionOf(third.one) })
  assertRefusedInPublic(gone, 'pet_not_found')
  const list = await callPublic(service, { path: LIST, key, headers: conditionOf(third.list) })
  assert.equal(list.status, 200)
  assert.ok(!list.text.includes(`"id":${shop.id},`))
})

test('an added animal is in the public list from the next call', async () => {
  const list = await callPublic(service, { path: LIST, key })
  const { id } = (await add(service, { name: 'Newcomer' })).value
  const next = await callPublic(service, { path: LIST, key, headers: conditionOf(list) })
  assert.equal(next.status, 200)
  assert.ok(next.text.includes(`"id":${id},"name":"Newcomer"`))
})

test('the id of a deleted animal is never reused', async () => {
  const { id } = (await add(service)).value
  assert.equal((await service.call('DELETE', `/pets/${id}`, { headers: { 'If-Match': '*' } })).status, 204)
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const options = { headers: { 'If-Match': '*' }, ...(method === 'PATCH' && { body: {} }) }
    assertRefused(await service.call(method, `/pets/${id}`, options), 'not_found')
  }
  assert.equal((await add(service)).value.id, id + 1n)
})

test('long searches do not delay calls of the public API', async t => {
  const shop = await startOperatorService(t, { embedded: { inThreads: true } })
  const { key: caller } = await shop.createCaller()
  fill(shop, 300_000)
  let isSearching = true
  const search = () => shop.call('GET', '/pets?name=nobody-is-called-so')
  const searches = Promise.all(Array.from({ length: 12 }, search)).finally(() => {
    isSearching = false
  })
  let meanwhile = 0
  while (isSearching) {
    assert.equal((await callPublic(shop, { path: '/v1/pets?limit=1', key: caller })).status, 200)
    if (isSearching) meanwhile += 1
  }
  for (const found of await searches) assert.deepEqual(found.value, [])
  assert.ok(meanwhile >= 10, `${meanwhile} calls were answered while the searches went on`)
})

const LIST = '/v1/pets?limit=100'

/** An animal, and how the public API shows it. */
async function startShop() {
  const { id } = (await add(service, { name: 'Rex', status: 'available' })).value as { id: bigint }
  type Seen = Record<'one' | 'list' | 'available', Awaited<ReturnType<typeof callPublic>>>
  async function see(before?: Seen): Promise<Seen> {
    const read = async (path: string, old = before?.one) => {
      const answer = await callPublic(service, { path, key, headers: old ? conditionOf(old) : {} })
      assert.equal(answer.status, 200, 'a new version is not a 304')
      return answer
    }
    return {
      one: await read(`/v1/pets/${id}`, before?.one),
      list: await read(LIST, before?.list),
      available: await read(`${LIST}&status=available`, before?.available),
    }
  }
  return { id, see }
}

function conditionOf(seen: { header(name: string): string | undefined }): Record<string, string> {
  return { 'If-None-Match': seen.header('etag') ?? '' }
}

function add(shop: OperatorService, members: Record<string, unknown> = {}): Promise<AdminAnswer> {
  return shop.call('POST', '/pets', { token: shop.staff.token, body: { name: 'Rex', categoryId: 7, ...members } })
}

function correct(shop: OperatorService, id: bigint, change: object, seen: string): Promise<AdminAnswer> {
  const headers = { 'If-Match': seen }
  return shop.call('PATCH', `/pets/${id}`, { token: shop.staff.token, body: change, headers })
}

/** Animals that were there before. */
function fill(shop: OperatorService, count: number): void {
  const database = openDatabase(shop.config.dataFolder)
  database.exec(
    `WITH RECURSIVE number (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM number WHERE value < ${count})
     INSERT INTO pet (name, category_id, status) SELECT 'animal ' || value, 1, 'sold' FROM number`,
  )
  database.close()
}
