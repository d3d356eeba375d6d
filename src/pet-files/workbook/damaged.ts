import { conflict, type UserError } from '../../domain/errors.ts'

/** @param reason the rest of a sentence without a full stop, such as "it has no sheet" */
export function damaged(reason: string): UserError {
  return conflict(
    `The workbook cannot be read: ${reason}. Open it in a spreadsheet program, and save it again as .xlsx or as "CSV UTF-8".`,
  )
}
