import { parseLabel } from '../domain/label.ts'
import { MEMBERS, type MemberName } from '../domain/pet.ts'
import type { CsvReading } from '../domain/pet-files.ts'
import { type KnownCategories, MAX_NEW_CATEGORY } from '../domain/pet-transfer.ts'
import type { Category } from '../domain/store/animals.ts'
import { parseWholeNumber, type ValueMeaning, wordKey } from '../domain/value-meaning.ts'
import { InvalidInput } from '../schema/invalid-input.ts'
import { isWord } from './explain-number.ts'

const MAX_NEW_CATEGORIES = 1_000

const NONE: KnownCategories = { labels: [], highest: 0n }

/**
 * Knows what the words in the columns of a file mean. A chosen meaning comes first, then a word or a number of the member itself, in any case, then
 * the label of a category and, if they are wanted, a new category.
 */
export class Words {
  /** The names of the columns of the file, once they are known. */
  columns: readonly string[] = []
  readonly #meanings = new Map<string, string>()
  /** By the key of the label; undefined if several categories have it. */
  readonly #labels = new Map<string, bigint | undefined>()
  readonly #labelOf = new Map<bigint, string>()
  readonly #takesNew: boolean
  readonly #created = new Map<bigint, Category>()
  /** No number above it is used in the store, or in the file so far. */
  #highest: bigint

  constructor({ meanings = [], newCategories = false }: CsvReading = {}, { labels, highest }: KnownCategories = NONE) {
    // The last one counts.
    this.addMeanings(meanings.toReversed())
    for (const { id, label } of labels) {
      this.#labelOf.set(id, label)
      const key = wordKey(label)
      this.#labels.set(key, this.#labels.has(key) ? undefined : id)
    }
    this.#takesNew = newCategories
    this.#highest = highest
  }

  /** What words mean unless something else was chosen. */
  addMeanings(meanings: readonly ValueMeaning[]): void {
    for (const { member, word, meaning } of meanings) {
      const key = `${member}:${wordKey(word)}`
      if (!this.#meanings.has(key)) this.#meanings.set(key, meaning)
    }
  }

  /** Those of lines that are left out, too. */
  get newCategories(): Category[] {
    return [...this.#created.values()]
  }

  /** Returns the text itself if it means nothing: it fails the check of the member. */
  read(member: MemberName | 'id', text: string): unknown {
    // Most files have the words of the members, and need no key.
    const given = this.#meanings.size === 0 ? text : (this.#meanings.get(`${member}:${wordKey(text)}`) ?? text)
    if (member !== 'id' && MEMBERS[member].kind === 'word') {
      return MEMBERS[member].parse(given) ?? MEMBERS[member].parse(wordKey(given)) ?? given
    }
    const number = parseWholeNumber(given)
    if (member !== 'categoryId') return number ?? given
    return number === undefined ? (this.#categoryOf(given) ?? given) : this.#numbered(number)
  }

  /**
   * A line of an export has the number of a category and its label. Changing only one of them must not be ignored.
   * @throws InvalidInput when the category has another label
   */
  ensureLabel(categoryId: unknown, label: string): void {
    if (typeof categoryId !== 'bigint') return
    const own = this.#labelOf.get(categoryId)
    if (own === label) return
    const meant = this.#meanings.get(`categoryId:${wordKey(label)}`) ?? label
    if (parseWholeNumber(meant) === categoryId || (own !== undefined && wordKey(own) === wordKey(meant))) return
    const shown = own === undefined ? 'which has no label' : JSON.stringify(own)
    throw new InvalidInput(
      'invalid_body',
      `it has the category ${categoryId} (${shown}), but the label ${JSON.stringify(label)}; correct one of them, or leave it empty.`,
    )
  }

  isAmbiguous(text: string): boolean {
    const key = wordKey(text)
    return this.#labels.has(key) && this.#labels.get(key) === undefined
  }

  /** Whether a word that means nothing would become a new category if these were wanted. */
  couldBeNew(text: string): boolean {
    return !this.#takesNew && !this.#labels.has(wordKey(text))
  }

  #numbered(id: bigint): bigint {
    const created = this.#created.get(id)
    if (created) {
      throw new InvalidInput(
        'invalid_body',
        `it has the category ${id}, which an earlier line has given to the new category ${JSON.stringify(created.label)}; label the new categories first.`,
      )
    }
    if (id > this.#highest && id < MAX_NEW_CATEGORY) this.#highest = id
    return id
  }

  #categoryOf(word: string): bigint | undefined {
    const key = wordKey(word)
    const known = this.#labels.get(key)
    if (known !== undefined || !this.#takesNew || this.#labels.has(key)) return known
    const label = labelOf(word)
    if (label === undefined || this.#created.size >= MAX_NEW_CATEGORIES || this.#highest >= MAX_NEW_CATEGORY)
      return undefined
    const id = (this.#highest < 0n ? 0n : this.#highest) + 1n
    this.#highest = id
    this.#created.set(id, { id, label })
    this.#labelOf.set(id, label)
    this.#labels.set(key, id)
    return id
  }
}

/** The label that a word can become: 1.5 and 2024-01-02 are not words. */
function labelOf(text: string): string | undefined {
  if (!isWord(text)) return undefined
  try {
    return parseLabel(text, 'A label')
  } catch {
    return undefined
  }
}
