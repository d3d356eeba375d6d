import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { BY_CODE, BY_FIELD, inOwnWords } from '../../console/src/api/refusal-words.ts'
import { CODE_WORDS } from '../../console/src/parts/refusals/words.ts'
import { reasonInWords } from '../../console/src/parts/words/members.ts'
import { ERRORS, PUBLIC_ERRORS } from '../../src/schema/error-codes.ts'
import { startOperatorService } from '../support/operator.ts'

/** The codes of calls whose key is not looked at. */
const WITHOUT_KEY = [
  'missing_api_key',
  'https_required',
  'uri_too_long',
  'headers_too_large',
  'method_not_supported',
  'overloaded',
]

test('every code that a call with a key can get has words in the console', () => {
  assert.deepEqual([...Object.keys(CODE_WORDS), ...WITHOUT_KEY].toSorted(), Object.keys(PUBLIC_ERRORS).toSorted())
})

test('the codes that the console words exist', () => {
  assert.deepEqual(
    Object.keys(BY_CODE).filter(code => !Object.hasOwn(ERRORS, code)),
    [],
  )
})

test('the messages about fields that the console words are messages of the service', async () => {
  const service = await startOperatorService({ after })
  const pet = { name: '', categoryId: 'Cats', status: 'available' }
  const refusals = [
    await service.call('POST', '/pets', { body: pet }),
    await service.call('POST', '/accounts/1/keys', { body: { expiresAt: '' } }),
    await service.call('POST', '/accounts/1/claim-links', { body: { keyExpiresAt: '20310-12-31' } }),
    await service.call('POST', '/accounts', { body: { plan: 'enterprise', perMinute: 'many', perDay: 'many' } }),
    await service.call('GET', '/audit?account=&from=x&to=y&subjectId=z'),
    await service.call('POST', '/sources', { body: { name: 'Dog House', maxRemovals: 'half', missing: 'keep' } }),
    await service.call('POST', '/pets/import?defaultCategoryId=dogs', {
      body: 'name',
      type: 'text/csv',
    }),
    await service.call('POST', '/pets/import', { body: 'category', type: 'text/csv' }),
    await service.call('POST', '/pets/import', { body: 'name', type: 'text/csv' }),
    await service.call('POST', '/pets/import?mode=update', { body: 'name', type: 'text/csv' }),
  ]
  const found = refusals.flatMap(({ json }) => {
    const own = inOwnWords(json)
    assert.equal(own.message, own.errors?.map(({ message }) => message).join(' '))
    return (json.errors as { message: string }[]).map(({ message }) => message)
  })
  assert.deepEqual(
    Object.keys(BY_FIELD).filter(start => !found.some(message => message.startsWith(start))),
    [],
    found.join('\n'),
  )
})

test('a control character, which cannot be seen, is refused with where it is', async () => {
  const service = await startOperatorService({ after })
  const messageOf = async (path: string, body: { name: string }) =>
    inOwnWords((await service.call('POST', path, { body })).json, body).message
  const pet = { categoryId: 1, status: 'available' }
  assert.equal(
    await messageOf('/pets', { ...pet, name: 'Rex\u0007 the dog' }),
    'Remove the invisible character after “Rex”.',
  )
  assert.equal(await messageOf('/pets', { ...pet, name: '\tRex' }), 'Remove the invisible character at the beginning.')
  assert.match(await messageOf('/pets', { ...pet, name: ' ' }), /^Enter a name of 1 to 255 characters/)
  const account = { plan: 'free', name: 'Acme\u0085Pets' }
  assert.equal(await messageOf('/accounts', account), 'Remove the invisible character after “Acme”.')
  const turned = { plan: 'free', name: 'Acme \u202ePets' }
  assert.equal(await messageOf('/accounts', turned), 'Remove the invisible character after “Acme ”.')
  const filled = { plan: 'free', name: 'Acme\u3164Pets' }
  assert.equal(await messageOf('/accounts', filled), 'Remove the invisible character after “Acme”.')
  const body = 'name,category\nBad\u0007name,1\n'
  const { bad } = (await service.call('POST', '/pets/import', { body, type: 'text/csv' })).value
  assert.equal(reasonInWords(bad[0].problems[0]), 'Remove the invisible character after “Bad”.')
})

test('a text that the console does not know is shown as the service says it', () => {
  const unknown = { code: 'conflict', status: 409, message: 'Key 7 is already revoked.' }
  assert.deepEqual(inOwnWords(unknown), unknown)
  const errors = [{ member: 'name', message: 'An account name must not be a number; numbers are read as ids.' }]
  assert.deepEqual(inOwnWords({ ...unknown, errors }).errors, errors)
})
