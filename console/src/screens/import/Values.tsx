import { useQuery } from '@tanstack/react-query'
import type { UnknownValue } from '../../api/schema.ts'
import { categoryOptionsQuery } from '../../data/categories.ts'
import { rememberedQuery } from '../../data/imports.ts'
import { formatCounted } from '../../lib/numbers.ts'
import { formatDate } from '../../lib/time.ts'
import { STATUSES } from '../../parts/statuses.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox, Select } from '../../ui/Field.tsx'
import { type Draft, type DraftStore, wordOf, wordsQuery } from './draft.ts'
import { nameOfMember } from './members.ts'
import { carryOut } from './run.ts'

/** More words than that are hardly words: they are in a column of something else. */
const MAX_SHOWN = 50

interface ValuesProps {
  store: DraftStore
  draft: Draft
  /** The most frequent first. */
  unknown: readonly UnknownValue[]
}

/** Asks what the words of a file mean that are not known, and checks the file again with the answers. */
export function Values({ store, draft, unknown }: ValuesProps) {
  const { choices } = draft
  const { data: categories = [] } = useQuery(categoryOptionsQuery)
  const optionsOf: Readonly<Record<string, readonly { value: string; name: string }[]>> = {
    status: STATUSES,
    categoryId: categories,
  }
  const { data: remembered } = useQuery(rememberedQuery(choices.mode, draft.header ?? []))
  const meaningOf = (word: string) => choices.meanings[word] ?? remembered?.meanings.get(word.toLowerCase()) ?? ''
  const hasCategories = unknown.some(({ member }) => member === 'categoryId')
  const choose = (change: Partial<Draft['choices']>) => store.change(draft.id, { choices: { ...choices, ...change } })
  const check = () => {
    const shown = Object.fromEntries(unknown.map(one => [wordOf(one), meaningOf(wordOf(one))]))
    const all = { ...choices, meanings: { ...choices.meanings, ...shown } }
    store.change(draft.id, { choices: all })
    void carryOut(store, { ...draft, choices: all }, { ...draft.query, ...wordsQuery(all) }, true)
  }
  const hintOf = (one: UnknownValue) => {
    const count = formatCounted(Number(one.count), 'line')
    const isRemembered = choices.meanings[wordOf(one)] === undefined && meaningOf(wordOf(one)) !== ''
    return remembered && isRemembered ? `${count}, chosen as on ${formatDate(remembered.entry.at)}` : count
  }
  return (
    <section className="import-section panel" aria-labelledby="unknown-values">
      <h3 id="unknown-values">What do these values mean?</h3>
      <div className="import-fields">
        {unknown.slice(0, MAX_SHOWN).map(one => {
          const word = wordOf(one)
          return (
            <Select
              key={word}
              label={`${nameOfMember(one.member)} “${one.value}”`}
              hint={hintOf(one)}
              options={[{ value: '', name: 'Not chosen' }, ...(optionsOf[one.member] ?? [])]}
              value={meaningOf(word)}
              onChange={event => choose({ meanings: { ...choices.meanings, [word]: event.target.value } })}
            />
          )
        })}
      </div>
      {unknown.length > MAX_SHOWN && (
        <p className="muted">And {formatCounted(unknown.length - MAX_SHOWN, 'more value')}, after these.</p>
      )}
      {hasCategories && (
        <Checkbox
          label="Add the other categories as new ones"
          hint="Each gets the next free number, and its word as the label."
          isChecked={choices.newCategories}
          onCheck={newCategories => choose({ newCategories })}
        />
      )}
      <div className="import-actions">
        <Button kind="primary" onClick={check}>
          Check the file again
        </Button>
      </div>
    </section>
  )
}
