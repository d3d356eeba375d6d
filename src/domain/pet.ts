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

const CONTROL = '\\u0000-\\u001F\\u007F-\\u009F'
/** White space that is no control character. */
const WHITE_SPACE = '\\u0020\\u00A0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000\\uFEFF'

/** A name is counted in code points. */
export const MAX_PET_NAME_LENGTH = 255

/**
 * The characters of a name: none of them a control character, at least one of them not white space. How many there may be is said
 * beside it, so that it means the same with the `u` flag and without. What `\P{Cc}` and `\S` are in JavaScript is spelled out: other
 * languages know no property escapes or take other characters for white space. No name is matched in two ways, which keeps it fast.
 */
export const PET_NAME_PATTERN = `^[${WHITE_SPACE}]*[^${WHITE_SPACE}${CONTROL}][^${CONTROL}]*$`
