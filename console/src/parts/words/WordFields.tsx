import { useQuery } from '@tanstack/react-query'
import type { UnknownValue } from '../../api/schema.ts'
import { categoryOptionsQuery } from '../../data/categories.ts'
import { formatCounted } from '../../lib/numbers.ts'
import { Checkbox } from '../../ui/Choices.tsx'
import { Select } from '../../ui/Field.tsx'
import { STATUSES } from '../statuses.tsx'
import { nameOfMember } from './members.ts'
import { wordOf } from './words.ts'

/** More words than that are hardly words: they are in a column of something else. */
const MAX_SHOWN = 50

interface WordFieldsProps {
  /** The most frequent first. */
  unknown: readonly UnknownValue[]
  meaningOf(word: string): string
  hintOf(one: UnknownValue): string
  onChoose(word: string, meaning: string): void
  newCategories: boolean
  onNewCategories(isWanted: boolean): void
}

/** Asks what the words of a file mean that are not known. */
export function WordFields(props: WordFieldsProps) {
  const { unknown, meaningOf, hintOf, onChoose, newCategories, onNewCategories } = props
  const { data: categories = [] } = useQuery(categoryOptionsQuery)
  const optionsOf: Readonly<Record<string, readonly { value: string; name: string }[]>> = {
    status: STATUSES,
    categoryId: categories,
  }
  return (
    <>
      <div className="field-grid">
        {unknown.slice(0, MAX_SHOWN).map(one => {
          const word = wordOf(one)
          return (
            <Select
              key={word}
              label={`${nameOfMember(one.member)} “${one.value}”`}
              hint={hintOf(one)}
              options={[{ value: '', name: 'Not chosen' }, ...(optionsOf[one.member] ?? [])]}
              value={meaningOf(word)}
              onChoose={meaning => onChoose(word, meaning)}
            />
          )
        })}
      </div>
      {unknown.length > MAX_SHOWN && (
        <p className="muted">And {formatCounted(unknown.length - MAX_SHOWN, 'more value')}, after these.</p>
      )}
      {unknown.some(({ member }) => member === 'categoryId') && (
        <Checkbox
          label="Add the other categories as new ones"
          hint="Each gets the next free number, and its word as the label."
          isChecked={newCategories}
          onCheck={onNewCategories}
        />
      )}
    </>
  )
}
