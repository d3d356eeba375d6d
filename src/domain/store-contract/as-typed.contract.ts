import assert from 'node:assert/strict'
import type { Store } from '../store.ts'
import {
  createAccount,
  createAll,
  createKey,
  entry,
  listAccounts,
  newPet,
  type Rule,
  untilSettled,
} from './fixtures.contract.ts'

/** Texts that are one and the same in a search. Each finds the other. */
export const SAME_IN_A_SEARCH: readonly (readonly [string, string])[] = [
  ["O'Malley", 'O\u2019Malley'],
  ["D'Artagnan", 'D\u02bcArtagnan'],
  ["L'Amour", 'L`Amour'],
  ["N'Golo", 'N\u00b4Golo'],
  ["B'Elanna", 'B\u2018Elanna'],
  ["T'Pol", 'T\uff07Pol'],
  ["J'onn", 'J\u2032onn'],
  ["'n Boer", '\u0149 Boer'],
  ["'Iolani", '\u02bbIolani'],
  ["\u05e6'\u05d9\u05e4\u05e1", '\u05e6\u05f3\u05d9\u05e4\u05e1'],
  ['Zoe', 'Zo\u200be'],
  ['Mia', 'M\u200di\u00ada\ufeff'],
  ['Bello', '\u200eBe\u2066llo\u2069\u200f\u061c'],
  ['\u05d1\u05e8\u05d5\u05da', '\u05d1\u05bc\u05b8\u05e8\u05d5\u05bc\u05da\u05b0'],
  ['\u05e9\u05dc\u05d5\u05dd', '\ufb2a\u05dc\u05d5\u05dd'],
  ['\u05d1\u05df-\u05d2\u05d5\u05e8', '\u05d1\u05df\u05be\u05d2\u05d5\u05e8'],
  ['\u0643\u0644\u0628', '\u0643\u064e\u0644\u0652\u0628'],
  ['\u0642\u0637\u0629', '\u0642\u0640\u0640\u0637\u0640\u0629'],
  ['\u0631\u062d\u0645\u0646', '\u0631\u062d\u0645\u0670\u0646'],
  ['\u0939\u093f\u0928\u094d\u0926\u0940', '\u0939\u093f\u0928\u094d\u200d\u0926\u0940'],
  ['\u0646\u0645\u06cc\u062e\u0648\u0627\u0647\u0645', '\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
  ['"Nell"', '\u201cNell\u201d'],
  ['"Fritz"', '\u201eFritz\u201c'],
  ['"Minou"', '\u00abMinou\u00bb'],
  ['6" Rule', '6\u2033 Rule'],
  ['Anna-Lena', 'Anna\u2010Lena'],
  ['Karl-Otto', 'Karl\u2011Otto'],
  ['1998-2004', '1998\u20132004'],
  ['Max - Moritz', 'Max \u2014 Moritz'],
  ['-7 C', '\u22127 C'],
  ['Herz \u2764', 'Herz \u2764\ufe0f'],
  ['\ud83d\udc15\ud83e\uddba', '\ud83d\udc15\u200d\ud83e\uddba'],
]

/** Finds what people type, whichever of several characters a name has. */
export function asTypedContract(rule: Rule): void {
  rule('a search ignores what is invisible or typed in several ways, and returns every text as it is', async store => {
    const accountId = (await createAccount(store, 'Owner')).id
    const fillers = Array.from({ length: 1_000 }, (_, place) => newPet({ name: `Filler ${place}` }))
    await createAll(store, fillers)
    for (const [place, pair] of SAME_IN_A_SEARCH.entries()) {
      await createAll(
        store,
        pair.map(name => newPet({ name })),
      )
      for (const [index, text] of pair.entries()) {
        // Account names must differ in more than their normal form.
        await createAccount(store, `${text} ${index}`)
        await createKey(store, accountId, { name: text })
        await store.labelCategory(BigInt(2 * place + index), text, entry('category.label'))
      }
    }
    await checkAll(store)
    await untilSettled(store)
    await store.indexPets({ minAnimals: 1, maxMs: 60_000 })
    await checkAll(store)
  })
}

async function checkAll(store: Store): Promise<void> {
  const page = { afterId: 0n, limit: 4 }
  for (const pair of SAME_IN_A_SEARCH) {
    const numbered = pair.map((text, index) => `${text} ${index}`)
    for (const typed of pair) {
      const { pets } = await store.searchPets({ name: typed, limit: 4 })
      const accounts = await listAccounts(store, { name: typed, ...page })
      const keys = await store.listKeys({ search: typed, ...page })
      const categories = await store.listCategories({ label: typed, limit: 4 })
      assert.deepEqual(pets.map(({ name }) => name).toSorted(), pair.toSorted(), `animals by ${typed}`)
      assert.deepEqual(
        accounts.map(({ name }) => name),
        numbered,
        `accounts by ${typed}`,
      )
      assert.deepEqual(
        keys.map(({ name }) => name),
        pair,
        `keys by ${typed}`,
      )
      assert.deepEqual(
        categories.map(({ label }) => label),
        pair,
        `categories by ${typed}`,
      )
    }
  }
}
