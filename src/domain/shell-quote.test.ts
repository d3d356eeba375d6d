import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shellQuote, shellWord } from './shell-quote.ts'

test('a word is quoted if a shell would read it otherwise', () => {
  for (const plain of [
    './petstore',
    'https://petstore.example:8443/v1',
    '../../opt/petstore',
    String.raw`..\petstore`,
  ]) {
    assert.equal(shellWord(plain), plain)
    assert.equal(shellQuote(plain), `'${plain}'`)
  }
  assert.equal(shellWord('https://petstore.example/a&b/v1'), `'https://petstore.example/a&b/v1'`)
  assert.equal(shellWord('$HOME'), `'$HOME'`)
})

test('a quote is closed around a quote', () => {
  assert.equal(shellWord(`Anna's shop`), String.raw`'Anna'\''s shop'`)
})
