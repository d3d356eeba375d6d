import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addPet } from '../../src/domain/administration/pets.ts'
import { makeStore, startServe } from '../support/command-line.ts'

const DAY_MS = 86_400_000

test('serve --demo prints a key and commands that work as pasted, and adds animals to an empty store', async t => {
  const store = await makeStore(t)
  const first = await startServe(t, {}, { store, demo: true })
  assert.match(first.stdout, new RegExp(`^ +Base URL +${first.url}/v1$`, 'm'))
  assert.match(first.stdout, new RegExp(`^ +Docs +${first.url}/docs$`, 'm'))
  assert.match(first.stdout, new RegExp(`^ +Operators +${first.operatorUrl}/docs$`, 'm'))
  assert.match(first.stdout, new RegExp(`^ +Data +${store.folder}$`, 'm'))
  assert.match(first.stdout, /^Petstore [\d.]+ is running \(production, with sample animals\)$/m)
  const [, link = ''] = first.stdout.match(/^ +Sign in +(\S+)$/m) ?? []
  const [page = '', secret] = link.split('#')
  assert.equal(page, `${first.operatorUrl}/console/sign-in`)
  assert.equal((await signIn(first.operatorUrl, secret)).status, 201)
  assert.equal((await signIn(first.operatorUrl, secret)).status, 401)
  assert.match(first.stdout, /^ +Become an operator +petstore token create "\$USER" --role admin$/m)
  assert.match(first.stdout, /^ +Give a partner access +petstore account create "Corner Shop" --plan pro$/m)
  const [, key = ''] = first.stdout.match(/^ +export PETSTORE_API_KEY=(\S+)$/m) ?? []
  assert.match(first.stdout, new RegExp(`^ +API key +${key}$`, 'm'))
  const curl = first.stdout.match(/^ +curl -H "Authorization: Bearer \$PETSTORE_API_KEY" \\\n +'(\S+)'$/m)
  const [, url = ''] = curl ?? []
  assert.equal(url, `${first.url}/v1/pets?limit=3`)
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  assert.equal(((await answer.json()) as unknown[]).length, 3)

  const text = await (
    await fetch(`${first.url}/v1/pets?limit=100`, { headers: { authorization: `Bearer ${key}` } })
  ).text()
  const pets: { name: string; status: string }[] = JSON.parse(text)
  assert.ok(pets.length >= 60)
  assert.deepEqual(new Set(pets.map(pet => pet.status)), new Set(['available', 'pending', 'sold']))
  assert.ok(
    pets.some(pet => /[^ -~]/.test(pet.name)),
    'names beyond ASCII',
  )
  assert.ok(text.includes('"categoryId":9007199254740993'), 'an id beyond 2^53, digit for digit')
  assert.ok(!first.stdout.includes('\u001b'), 'no colours in a file or a pipe')
  for (const line of first.stderr.trimEnd().split('\n')) JSON.parse(line)
  await first.stop('SIGTERM')

  const [account] = await store.json('account', 'list')
  assert.deepEqual([account.name, account.plan], ['demo', 'business'])
  const second = await startServe(t, {}, { store, demo: true })
  const again = await fetch(`${second.url}/v1/pets?limit=100`, { headers: { authorization: `Bearer ${key}` } })
  assert.equal(await again.text(), text, 'a store with animals is left as it is')
  const keys: { name: string; createdAt: string; expiresAt: string }[] = await store.json('key', 'list', 'demo')
  assert.equal(keys.length, 2, 'each start issues a key')
  for (const { name, createdAt, expiresAt } of keys) {
    assert.deepEqual([name, Date.parse(expiresAt) - Date.parse(createdAt)], ['demo', 7 * DAY_MS])
  }
})

test('serve --demo on a store that has animals adds none, and does not call them samples', async t => {
  const store = await makeStore(t)
  await store.act(context => addPet(context, { name: 'Rex', categoryId: 7n, status: 'available' }))
  const service = await startServe(t, {}, { store, demo: true })
  assert.match(service.stdout, /^Petstore [\d.]+ is running \(production\)$/m)
  assert.equal((await store.json('pet', 'list')).length, 1)
})

function signIn(operatorUrl: string, link = ''): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(`${operatorUrl}/admin/v1/session`, { method: 'POST', headers, body: JSON.stringify({ link }) })
}
