import { test } from 'node:test'
import { checkHistories } from './animal-histories/check.ts'
import { ROUNDS } from './support/duration-factor.ts'
import { skip } from './support/servers/needs.ts'
import { makeDatabase, noPostgres } from './support/servers/postgres.ts'
import { openTransfer } from './support/servers/postgres-stores.ts'

test('postgres: after any actions on animals, everything is as a model says', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  await checkHistories(() => openTransfer(makeDatabase), 11, 2 * ROUNDS)
})
