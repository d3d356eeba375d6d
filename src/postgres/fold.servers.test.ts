import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skip } from '../../test/support/servers/needs.ts'
import { makeWholeDatabase, noPostgres } from '../../test/support/servers/postgres.ts'
import { fold, nameKeyOf } from '../domain/fold.ts'
import { SAME_IN_A_SEARCH } from '../domain/store-contract/as-typed.contract.ts'
import { prepareDatabase } from './migrate.ts'

/** In Turkish, i and ı have other capitals than elsewhere. */
const LOCALES = ["LOCALE 'C'", "LOCALE_PROVIDER icu ICU_LOCALE 'tr-TR' LOCALE 'C'"]

/** Without surrogates, and without the planes that are empty or for private use. */
const IS_CHARACTER = `n NOT BETWEEN ${0xd800} AND ${0xdfff} AND (n < ${0x40000} OR n >= ${0xe0000})`

test('the database folds every character as this program does, whatever its locale', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  for (const locale of LOCALES) {
    const database = await makeWholeDatabase(`TEMPLATE template0 ENCODING 'UTF8' ${locale}`)
    t.after(() => database.drop())
    await prepareDatabase(database.url, 'production')
    const rows = await database.run(
      `SELECT n, fold(text) AS folded, name_key(text) AS key, normalize(text, NFKD) AS letters
       FROM (SELECT n, 'a' || chr(n) || 'e' AS text FROM generate_series(1, ${0xe0fff}) AS n WHERE ${IS_CHARACTER}) AS one`,
    )
    const unknown = new Set<number>()
    const differing = rows.filter(({ n, folded, key, letters }) => {
      const text = `a${String.fromCodePoint(Number(n))}e`
      // A character of a newer Unicode than the server's has no normal form and no capitals there.
      if (key !== nameKeyOf(text) || letters !== text.normalize('NFKD')) unknown.add(Number(n))
      return folded !== fold(text) && !unknown.has(Number(n))
    })
    assert.deepEqual(differing, [], locale)
    assert.ok(unknown.size < 1_000, `the server does not know ${unknown.size} characters`)
    assert.deepEqual(
      [...unknown].filter(point => point < 0x100),
      [],
    )
    const texts = [...SAME_IN_A_SEARCH.flat(), 'Ströme', 'ISTANBUL ılık İi', 'Straße', 'Œuvre', 'Ⅱ ㎏ ｆｕｌｌ', '']
    const list = texts.map(text => `'${text.replaceAll("'", "''")}'`).join(', ')
    const [{ folded } = {}] = await database.run(
      `SELECT array_agg(fold(text) ORDER BY place) AS folded FROM unnest(ARRAY[${list}]) WITH ORDINALITY AS one (text, place)`,
    )
    assert.deepEqual(folded, texts.map(fold))
  }
})
