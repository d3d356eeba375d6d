import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { call as callPublic } from '../support/call.ts'
import { assertRefused, startOperatorService, walk } from '../support/operator.ts'
import { only } from '../support/rate.ts'

// Labels of categories: for operators only.

const service = await startOperatorService({ after })
const { key } = await service.createCaller()

test('a label is shown with every animal of its category, and changes no ETag', async () => {
  const added = await service.call('POST', '/pets', { body: { name: 'Rex', categoryId: 7 } })
  const { id } = added.value
  const labelOf = async () => {
    const one = await service.call('GET', `/pets/${id}`)
    assert.equal(only(one, 'ETag'), only(added, 'ETag'))
    const [listed] = (await service.call('GET', `/pets?id=${id}`)).value
    const { sample } = (await service.call('POST', '/pets/bulk/preview', { body: { ids: [id] } })).value
    assert.deepEqual([listed, sample[0]], [one.value, one.value])
    return one.value.categoryLabel
  }
  assert.equal(await labelOf(), null)
  for (const label of ['Dogs', 'Große Hunde']) {
    const labelled = await service.call('PUT', '/categories/7', { token: service.staff.token, body: { label } })
    assert.deepEqual(labelled.value, { id: 7n, label })
    assert.equal(await labelOf(), label)
  }
  const corrected = await service.call('PATCH', `/pets/${id}`, {
    headers: { 'If-Match': '*' },
    body: { categoryId: 8 },
  })
  assert.equal(corrected.value.categoryLabel, null)
  await service.call('PATCH', `/pets/${id}`, { headers: { 'If-Match': '*' }, body: { categoryId: 7 } })
  assert.equal((await service.call('DELETE', '/categories/7')).status, 204)
  assert.equal(await labelOf(), null)
  assertRefused(await service.call('DELETE', '/categories/7'), 'not_found', 'Category 7 has no label.')
})

test('callers see no label', async () => {
  const { id } = (await service.call('POST', '/pets', { body: { name: 'Rex', categoryId: 5 } })).value
  await service.call('PUT', '/categories/5', { body: { label: 'Dogs' } })
  const seen = await callPublic(service, { path: `/v1/pets/${id}`, key })
  assert.equal(seen.text, `{"id":${id},"name":"Rex","categoryId":5,"status":"available"}`)
})

test('categories are listed by their ids, in pages', async t => {
  const shop = await startOperatorService(t)
  const labels = ['-9223372036854775808', '-3', '0', '4', '9223372036854775807']
  for (const id of labels) await shop.call('PUT', `/categories/${id}`, { body: { label: `No. ${id}` } })
  await shop.call('POST', '/pets', { body: { name: 'Rex', categoryId: 3 } })
  const walked = await walk(shop, '/categories?limit=2')
  assert.deepEqual(walked.items[3], { id: 3n, label: null, animals: 1n })
  assert.deepEqual(
    walked.items.map(({ id }) => String(id)),
    labels.toSpliced(3, 0, '3'),
  )
  assert.equal(walked.pages, 3)
  assert.deepEqual((await shop.call('GET', '/categories?label=NO.%200')).value, [
    { id: 0n, label: 'No. 0', animals: 0n },
  ])
})

test('a label that stays the same leaves no entry', async () => {
  await service.call('PUT', '/categories/9', { body: { label: 'Birds' } })
  const before = service.snapshot()
  assert.deepEqual((await service.call('PUT', '/categories/9', { body: { label: ' Birds ' } })).value, {
    id: 9n,
    label: 'Birds',
  })
  assert.deepEqual(service.snapshot(), before)
  assertRefused(
    await service.call('PUT', '/categories/9', { body: { label: ' \t' } }),
    'invalid_input',
    /^A label must/,
  )
})
