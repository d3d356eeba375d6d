import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import type { Pet, PetStatus } from '../../api/schema.ts'
import type { AnimalChange } from '../../data/animals.ts'
import { categoryName, categoryOptionsQuery } from '../../data/categories.ts'
import { showRefusal } from '../../lib/forms.ts'
import { STATUSES } from '../../parts/statuses.tsx'
import { Field, Select } from '../../ui/Field.tsx'
import { Notice } from '../../ui/states.tsx'
import { integerOf } from './search.ts'

export const ANIMAL_FORM = 'animal-form'

interface AnimalFormProps {
  form: AnimalFormState
  /** Rejects with the service's refusal. */
  onSave(values: AnimalValues): Promise<unknown>
  children?: ReactNode
}

/** The members of an animal. A refusal by the service is shown at its field. */
export function AnimalForm({ form, onSave, children }: AnimalFormProps) {
  const { errors } = form.formState
  const save = form.handleSubmit(async values => {
    try {
      await onSave(values)
    } catch (error) {
      showRefusal(form, error)
      const lacksCategory = values.categoryId === '' && form.getFieldState('categoryId').error
      if (lacksCategory) form.setError('categoryId', { message: 'An animal needs a category.' })
    }
  })
  return (
    <form id={ANIMAL_FORM} className="stack" onSubmit={save} noValidate>
      {children}
      <Field label="Name" dir="auto" autoComplete="off" error={errors.name?.message} {...form.register('name')} />
      <CategoryField form={form} />
      <Select label="Status" options={STATUSES} error={errors.status?.message} {...form.register('status')} />
      {errors.root && <Notice tone="danger">{errors.root.message}</Notice>}
    </form>
  )
}

const OTHER = 'other'

/** An existing category, or the number of another. */
function CategoryField({ form }: { form: AnimalFormState }) {
  const { data } = useQuery(categoryOptionsQuery)
  const known = data ?? []
  const chosen = form.watch('categoryId')
  const error = form.formState.errors.categoryId?.message
  const [isOther, setIsOther] = useState(false)
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

export interface AnimalValues {
  name: string
  categoryId: string
  status: PetStatus
}

export type AnimalFormState = UseFormReturn<AnimalValues>

export function valuesOf({ name, categoryId, status }: Pet): AnimalValues {
  return { name, categoryId: String(categoryId), status }
}

export function changeOf({ name, categoryId, status }: AnimalValues): Required<AnimalChange> {
  return { name, categoryId: integerOf(categoryId), status }
}
