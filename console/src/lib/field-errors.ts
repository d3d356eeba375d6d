import { ApiError } from '../api/errors.ts'

/**
 * The messages of a refusal, by field.
 * @param fieldOf the field of a refusal as a whole, by its code
 */
export function fieldErrors(
  error: unknown,
  fieldOf: Readonly<Record<string, string>> = {},
): ReadonlyMap<string, string> {
  if (!(error instanceof ApiError)) return new Map()
  const field = fieldOf[error.code]
  return field !== undefined && error.members.size === 0 ? new Map([[field, error.message]]) : error.members
}
