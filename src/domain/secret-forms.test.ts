import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKey } from './api-key.ts'
import { generateClaimSecret } from './claim-link.ts'
import { DEPLOYMENTS } from './deployment.ts'
import { generateToken } from './operator.ts'
import { containsSecret, secretIn } from './secret-forms.ts'
import { csrfTokenOf, generateSession } from './session.ts'
import { generateSignInLink } from './sign-in-link.ts'

const session = generateSession()
const secrets = [
  ...DEPLOYMENTS.flatMap(deployment => [
    ['an API key', generateKey(deployment)],
    ['an operator token', generateToken(deployment)],
    ['a claim link', `https://api.example/claim/${generateClaimSecret(deployment)}`],
    ['a sign-in link', `https://admin.example/console/sign-in#${generateSignInLink(deployment)}`],
  ]),
  ['the secret of a session', session],
  ['the secret of a session', csrfTokenOf(session)],
] as const

test('each kind of secret is recognized, whole or cut, wherever it is in a text', () => {
  for (const [kind = '', secret = ''] of secrets) {
    for (const text of [secret, `“${secret}”`, `key=${secret}&x`, ` ${secret.slice(0, -20)}`]) {
      assert.equal(secretIn(text), kind, text)
      assert.ok(containsSecret(text))
    }
  }
})

test('a secret is recognized from its first random character on, and without its prefix', () => {
  const key = generateKey('production')
  assert.equal(secretIn(key.slice(0, 'petstore_live_'.length + 1)), 'an API key')
  assert.equal(secretIn(key.slice(1)), 'part of a key or token')
  assert.equal(secretIn(key.slice('petstore_live_'.length)), 'part of a key or token')
})

test('names, numbers, endings of keys and words about keys are not secrets', () => {
  for (const text of [
    '',
    'Rex',
    '#340',
    '9zfc',
    'petstore',
    'petstore_live_',
    'Lady Wilhelmina-Friederike-von-Hohenzollern-Sigmaringen',
    '0c6e4f6a-2f0e-4b39-8a52-3c58f4a1d0be',
    'Donaudampfschiffahrtselektrizitaetenhauptbetriebswerk',
    'ஸ்ரீ'.repeat(40),
  ])
    assert.equal(secretIn(text), undefined, text)
})
