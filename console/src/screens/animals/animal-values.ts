import { type UseFormReturn, useForm } from 'react-hook-form'
import type { Pet, PetStatus } from '../../api/schema.ts'
import type { AnimalChange } from '../../data/animals.ts'
import { integerOf } from './search.ts'

export interface AnimalValues {
  name: string
  categoryId: string
  status: PetStatus
}

export type AnimalFormState = UseFormReturn<AnimalValues>

export function useAnimalForm(values: AnimalValues): AnimalFormState {
  return useForm<AnimalValues>({ defaultValues: values })
}

export function valuesOf({ name, categoryId, status }: Pet): AnimalValues {
  return { name, categoryId: String(categoryId), status }
}

export function changeOf({ name, categoryId, status }: AnimalValues): Required<AnimalChange> {
  return { name, categoryId: integerOf(categoryId), status }
}
