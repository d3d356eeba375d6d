import type { ReactNode } from 'react'
import { showRefusal } from '../../lib/show-refusal.ts'
import { STATUSES } from '../../parts/statuses.tsx'
import { Field } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Select } from '../../ui/Select.tsx'
import type { AnimalFormState, AnimalValues } from './animal-values.ts'
import { CategoryField } from './CategoryField.tsx'

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
    <form id={ANIMAL_FORM} className="form" onSubmit={save} noValidate>
      {children}
      <Field label="Name" dir="auto" autoComplete="off" error={errors.name?.message} {...form.register('name')} />
      <CategoryField form={form} />
      <Select label="Status" options={STATUSES} error={errors.status?.message} {...form.register('status')} />
      {errors.root && <Notice tone="danger">{errors.root.message}</Notice>}
    </form>
  )
}
