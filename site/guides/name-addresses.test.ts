import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameAddresses } from './name-addresses.ts'

const TEXT =
  'From https://petstore.example/v1 to <https://staging.petstore.example/v1/pets>, see https://petstore.example/docs.'

test('each example is replaced by the address of its deployment, even if that looks like another example', () => {
  const production = 'https://staging.petstore.example/'
  const staging = 'http://127.0.0.1:8080/$&/'
  assert.equal(
    nameAddresses(TEXT, { production, staging }),
    'From https://staging.petstore.example/v1 to <http://127.0.0.1:8080/$&/v1/pets>, see https://staging.petstore.example/docs.',
  )
})

test('the example of a deployment whose address is not known stays', () => {
  assert.equal(nameAddresses(TEXT, {}), TEXT)
  assert.equal(
    nameAddresses(TEXT, { staging: 'https://try.animals.test/' }),
    TEXT.replace('https://staging.petstore.example', 'https://try.animals.test'),
  )
})
