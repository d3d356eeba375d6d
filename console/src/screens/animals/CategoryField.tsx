import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { categoriesQuery, categoryName } from '../../data/categories.ts'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import type { AnimalFormState } from './animal-values.ts'

const OTHER = 'other'

/** An existing category, or the number of another. */
export function CategoryField({ form }: { form: AnimalFormState }) {
  const { data } = useQuery(categoriesQuery)
  const chosen = form.watch('categoryId')
  const error = form.formState.errors.categoryId?.message
  const [isOther, setIsOther] = useState(false)
  const known = (data ?? []).map(({ id, label }) => ({ value: String(id), name: categoryName(id, label) }))
  const isKnown = known.some(({ value }) => value === chosen)
  const own = chosen === '' || isKnown || isOther ? [] : [{ value: chosen, name: categoryName(chosen, null) }]
  const isNumber = isOther || (data !== undefined && known.length === 0)
  const choose = (value: string) => {
    setIsOther(value === OTHER)
    form.setValue('categoryId', value === OTHER ? '' : value, { shouldDirty: true })
    form.clearErrors('categoryId')
  }
  return (
    <>
      <Select
        label="Category"
        value={isNumber ? OTHER : chosen}
        onChange={({ target }) => choose(target.value)}
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
          autoComplete="off"
          hint="A new number creates a category. You can name it under “Categories”."
          error={error}
          {...form.register('categoryId')}
        />
      )}
    </>
  )
}
