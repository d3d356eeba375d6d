import assert from 'node:assert/strict'
import { join, resolve, sep } from 'node:path'
import { test } from 'node:test'
import { commandOf, completedNameOf } from './command-name.ts'

const CHECKOUT = resolve(import.meta.dirname, '../..')

test('messages use the name that the program was called by', () => {
  for (const called of ['petstore-staging', './petstore', '../../opt/petstore']) {
    assert.equal(commandOf({ PETSTORE_COMMAND: called, npm_lifecycle_event: 'npx' }, CHECKOUT), called)
  }
  assert.equal(commandOf({ PETSTORE_COMMAND: '../Pet Shop/petstore' }, CHECKOUT), "'../Pet Shop/petstore'")
  assert.equal(commandOf({ PETSTORE_COMMAND: "../Anna's shop/petstore" }, CHECKOUT), "'../Anna'\\''s shop/petstore'")
})

test('with npm, they use the command of the checkout, relative to the folder where npm was called', () => {
  for (const npm_lifecycle_event of ['npx', 'start']) {
    const named = (INIT_CWD: string) => commandOf({ npm_lifecycle_event, INIT_CWD }, CHECKOUT)
    assert.equal(named(CHECKOUT), `.${sep}petstore`)
    assert.equal(named(join(CHECKOUT, 'docs/guides')), join('../../petstore'))
  }
  assert.equal(commandOf({ npm_lifecycle_event: 'npx' }, join(CHECKOUT, 'docs')), join('../petstore'))
})

test('otherwise they say petstore', () => {
  assert.equal(commandOf({ npm_lifecycle_event: 'test' }, CHECKOUT), 'petstore')
  assert.equal(commandOf({}, CHECKOUT), 'petstore')
})

test('shells complete the name without its folder, if it needs no quotes', () => {
  const cases = [
    ['petstore-staging', 'petstore-staging'],
    ['./petstore', 'petstore'],
    ['../Pet Shop/petstore-1.1', 'petstore-1.1'],
    [String.raw`..\Pet Shop\petstore.cmd`, 'petstore.cmd'],
    ['../Pet Shop/my petstore', 'petstore'],
    ['./x;reboot', 'petstore'],
    ['./-F', 'petstore'],
    ['', 'petstore'],
  ]
  for (const [PETSTORE_COMMAND, name] of cases) assert.equal(completedNameOf({ PETSTORE_COMMAND }), name)
  assert.equal(completedNameOf({}), 'petstore')
})
