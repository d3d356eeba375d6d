import { MAX_TEXT_LENGTH, TEXT_PATTERN } from './text-pattern.ts'

export const PET_STATUSES = ['available', 'pending', 'sold'] as const

export type PetStatus = (typeof PET_STATUSES)[number]

export function isPetStatus(value: unknown): value is PetStatus {
  return (PET_STATUSES as readonly unknown[]).includes(value)
}

export const DEFAULT_PET_STATUS: PetStatus = 'available'

export interface NewPet {
  name: string
  /** Any int64. */
  categoryId: bigint
  status: PetStatus
}

export interface Pet extends NewPet {
  /** From 1, ascending in the order of creation, never reused. */
  id: bigint
}

/** In code points. */
export const MAX_PET_NAME_LENGTH = MAX_TEXT_LENGTH

export const PET_NAME_PATTERN = TEXT_PATTERN
