import { UserError } from '../domain/errors.ts'
import type { PetMember } from '../domain/pet-files.ts'

/** The header of a table lacks a column, or has others. */
export class UnknownColumns extends UserError {
  /** A member without a column, if one is missing. */
  readonly missing: PetMember | undefined
  /** Whether the table may be in another sheet of the workbook. */
  readonly hasOtherSheets: boolean

  constructor(message: string, { missing, hasOtherSheets, isFeed }: Found) {
    // The parameter that chooses its column. For a feed, the console offers no such choice.
    super('conflict', message, missing && !isFeed ? `${missing}Column` : undefined)
    this.missing = missing
    this.hasOtherSheets = hasOtherSheets
  }
}

interface Found extends Pick<UnknownColumns, 'missing' | 'hasOtherSheets'> {
  isFeed: boolean
}
