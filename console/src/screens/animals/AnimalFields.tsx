import { useQuery } from '@tanstack/react-query'
import { useFormContext } from 'react-hook-form'
import type { Pet } from '../../api/schema.ts'
import type { AnimalState } from '../../data/animals.ts'
import { categoryName, categoryOptionsQuery } from '../../data/categories.ts'
import { fieldOf } from '../../lib/forms.ts'
import { STATUSES } from '../../parts/statuses.tsx'
import { Field, Select } from '../../ui/Field.tsx'
import { integerOf } from './search.ts'

export function AnimalFields() {
  const form = useFormContext<AnimalValues>()
  return (
    <>
      <Field label="Name" {...fieldOf(form, 'name')} />
      <CategoryField />
      <Select label="Status" options={STATUSES} {...fieldOf(form, 'status')} />
    </>
  )
}

const OTHER = 'other'

/** An existing category, or the number of another. */
function CategoryField() {
  const form = useFormContext<AnimalValues>()
  const { data } = useQuery(categoryOptionsQuery)
  const known = data ?? []
  const chosen = form.watch('categoryId')
  const { error: refusal, ...input } = fieldOf(form, 'categoryId')
  const error = refusal && chosen === '' ? 'An animal needs a category.' : refusal
  const isOther = form.watch('isOther')
  const isKnown = known.some(({ value }) => value === chosen)
  const own = chosen === '' || isKnown || isOther ? [] : [{ value: chosen, name: categoryName(chosen, null) }]
  const isNumber = isOther || (data !== undefined && known.length === 0)
  const choose = (value: string) => {
    form.setValue('isOther', value === OTHER)
    form.setValue('categoryId', value === OTHER ? '' : value, { shouldDirty: true })
    form.clearErrors('categoryId')
  }
  return (
    <>
      <Select
        label="Category"
        value={isNumber ? OTHER : chosen}
        onChoose={choose}
        error={isNumber ? undefined : error}
        options={[
          ...(chosen === '' && !isNumber ? [{ value: '', name: 'Choose a category' }] : []),
          ...known,
          ...own,
          { value: OTHER, name: 'Another category…' },
        ]}
      />
      {isNumber && (
        <Field
          label="Category number"
          inputMode="numeric"
          hint="A new number creates a category. You can name it under “Categories”."
          error={error}
          {...input}
        />
      )}
    </>
  )
}

export interface AnimalValues extends Omit<AnimalState, 'categoryId'> {
  categoryId: string
  /** Whether the number of a category is typed. */
  isOther: boolean
}

export function valuesOf({ name, categoryId, status }: Pet): AnimalValues {
  return { name, categoryId: String(categoryId), status, isOther: false }
}

export function changeOf({ name, categoryId, status }: AnimalValues): AnimalState {
  return { name, categoryId: integerOf(categoryId), status }
}
