export const PET_STATUSES = ['available', 'pending', 'sold'] as const

export type PetStatus = (typeof PET_STATUSES)[number]

export const DEFAULT_PET_STATUS: PetStatus = 'available'

export interface NewPet {
  name: string
  /** Any int64. */
  categoryId: bigint
  status: PetStatus
}

export interface Pet extends NewPet {
  /** From 1 upwards, in the order of creation, never used again. */
  id: bigint
}

/**
 * What a name must look like: 1 to 255 code points, at least one of them not white space, no control character.
 * To be compiled with the `u` flag, so that it counts code points and not UTF-16 units.
 */
export const PET_NAME_PATTERN = '^(?=\\P{Cc}*\\S)\\P{Cc}{1,255}$'
