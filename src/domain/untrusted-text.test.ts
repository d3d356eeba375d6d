import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKey } from './api-key.ts'
import { generateClaimSecret } from './claim-link.ts'
import { generateToken } from './operator.ts'
import { SECRET_PREFIX } from './secret-forms.ts'
import { csrfTokenOf, generateSession } from './session.ts'
import { generateSignInLink } from './sign-in-link.ts'
import { encodedForLog, forLog, spellOut, withoutSecrets } from './untrusted-text.ts'

test('control characters, changes of the reading direction and invisible characters are spelled out', () => {
  for (const code of [
    0, 0x07, 0x1b, 0x7f, 0x85, 0x9b, 0xad, 0x61c, 0x115f, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x202e, 0x2028,
    0x2029, 0x2060, 0x2066, 0x2069, 0x3164, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xe0041,
  ]) {
    assert.equal(spellOut(`a${String.fromCodePoint(code)}b`), `a\\u{${code.toString(16)}}b`)
  }
})

test('visible text stays as it is', () => {
  for (const text of ['Zoe\u0308', '日本 🐕', '👩🏽‍🚀', '👨‍👩‍👧', '❤️', '🏳️‍🌈', '1️⃣', 'שלום', 'مرحبا'])
    assert.equal(spellOut(text), text)
})

test('no secret reaches a log, whole, encoded or in part', () => {
  const session = generateSession()
  const links = [generateClaimSecret('production'), generateSignInLink('staging')]
  const secrets = [generateKey('production'), generateToken('staging'), ...links]
  for (const secret of [...secrets, session, csrfTokenOf(session)]) {
    const random = secret.replace(new RegExp(`^${SECRET_PREFIX}`), '')
    for (const sent of [
      secret,
      `https://${secret}.test`,
      secret.replaceAll('_', '%5F'),
      random,
      'x'.repeat(190) + secret,
      // Searched up to here: the secret is not cut in half, where it would no longer look like one.
      `petstore_${'x'.repeat(300)} ${'.'.repeat(75)}${secret}`,
      `petstore_${'x'.repeat(300)} ${'.'.repeat(75)}${random}`,
      `/${'%2e'.repeat(112)}/${Buffer.from(random).toString('hex').replaceAll(/../g, '%$&')}`,
    ]) {
      assert.ok(!forLog(sent).includes(random.slice(0, 30)), forLog(sent))
      assert.ok(!encodedForLog(sent).includes(random.slice(0, 12)), encodedForLog(sent))
    }
    for (const sent of [`/v1/pets?key=${secret}`, `/v1/%2525${secret.replaceAll('_', '%25255f')}`, `/a?${random}`]) {
      assert.match(encodedForLog(sent), /^\/[\w/?=%]*\(withheld\)$/)
    }
    assert.ok(!withoutSecrets(`a "${secret}" b`).includes(random.slice(0, 8)))
  }
})

test('a path and its query are logged as they were sent, unless that would be long or do harm', () => {
  const path = '/v1/pets?status=sold&name=%C3%A9mile%20x'
  assert.equal(encodedForLog(path), path)
  // A rule that reads single bytes finds control characters in these.
  for (const name of ['さくら', 'O’Malley', 'Łucja']) {
    const sent = `/v1/pets?name=${encodeURIComponent(name)}`
    assert.equal(encodedForLog(sent), sent)
    assert.equal(encodedForLog(`${sent}%0a`), `/v1/pets?name=${name}\\u{a}`)
  }
  assert.equal(encodedForLog('/a%C2%9Bb%9Bc%E2%80%AE'), '/a\\u{9b}b\\u{9b}c\\u{202e}')
  assert.equal(encodedForLog('/100%25%2525%0a'), '/100%%\\u{a}')
  assert.equal(encodedForLog('/a%250ab'), '/a\\u{a}b')
  assert.equal(encodedForLog(`/${'a.'.repeat(200)}`), `${`/${'a.'.repeat(200)}`.slice(0, 200)}…`)
  assert.ok(encodedForLog('%41'.repeat(8_000)).length <= 201)
  assert.ok(encodedForLog(`%${'25'.repeat(8_000)}41`).length <= 201)
})

test('text in a log has a maximum length', () => {
  for (const unit of ['a.', '\x1b', '🐕', '\u202e ']) assert.ok(forLog(unit.repeat(8_000)).length <= 201)
  assert.ok(forLog('.🐕'.repeat(200)).isWellFormed())
  assert.equal(forLog('half '.repeat(200), 7), 'half ha…')
  // Shown are only whole words of what is searched, which becomes shorter when words are withheld.
  assert.equal(forLog(`${'x'.repeat(37)} `.repeat(20)), `${'(withheld) '.repeat(10)}…`)
})
