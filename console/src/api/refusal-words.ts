import { UNSEEN } from '../../../src/domain/text-pattern.ts'
import type { Error as ErrorBody } from './schema.ts'

// What staff read instead of the service's messages, which are for programmers.

export const BY_CODE: Readonly<Record<string, string>> = {
  body_too_large: 'This is too long. Shorten it.',
  csrf_refused: 'This page is no longer up to date. Reload it and try again.',
  idempotency_in_progress: 'The first attempt is still in progress. Try again in a moment.',
  overloaded: 'Petstore is very busy. Try again in a moment.',
  precondition_failed: 'Someone else has changed this since you opened it. Open it again, then repeat your change.',
  request_timeout: 'The connection was too slow. Try again.',
  role_insufficient: 'Only an admin may do this.',
  service_unavailable: 'Petstore cannot use its data right now. Try again in a moment.',
  store_full: 'Nothing was saved: the disk of the server is full. Tell your administrator.',
}

/** By how the message about a field begins: its name in the API, and the kind of its value. */
export const BY_FIELD: Readonly<Record<string, string>> = {
  'account must be': 'Enter the name or the number of an account.',
  'categoryId ': 'Enter the number of the category, such as 7, or choose a category.',
  'defaultCategoryId ': 'Enter the number of a category, such as 7.',
  'The column "categoryId" is missing':
    'Choose the column of the categories, or enter a category for animals without one.',
  'The column "id" is missing': 'Choose the column of the numbers of the animals.',
  'The column "name" is missing': 'Choose the column of the names, or enter a name for animals without one.',
  'expiresAt must be': 'Enter a day, such as 2030-12-31.',
  'from must be': 'Enter a day, such as 2030-12-31.',
  'keyExpiresAt must be': 'Enter a day, such as 2030-12-31.',
  'maxRemovals must be': 'Enter a number of animals, such as 20, or a share, such as 10%.',
  'name is required': 'Enter a name.',
  'name must be 1 to 64 letters':
    'Enter 1 to 64 letters, digits, points, underscores and hyphens, with a letter or digit first.',
  'name must be a string of': 'Enter a name of 1 to 255 characters, without invisible ones.',
  'perDay ': 'Enter the calls per day: a whole number from 1 to 1,000,000,000.',
  'perMinute ': 'Enter the calls per minute: a whole number from 1 to 1,000,000,000.',
  'subjectId must be': 'Enter a number, such as 12.',
  'to must be': 'Enter a day, such as 2030-12-31.',
}

/**
 * The refusal in the words of the console; the service's own where the console has none.
 * @param sent the values of the request, by member
 */
export function inOwnWords(body: ErrorBody, sent: object = {}): ErrorBody {
  if (!body.errors?.length) return { ...body, message: BY_CODE[body.code] ?? body.message }
  const errors = body.errors.map(error => ({
    ...error,
    message: wordsOf(error.message, new Map(Object.entries(sent)).get(error.member)),
  }))
  return { ...body, errors, message: errors.map(({ message }) => message).join(' ') }
}

function wordsOf(message: string, value: unknown): string {
  const known = Object.entries(BY_FIELD).find(([start]) => message.startsWith(start))?.[1]
  return hiddenIn(message, value) ?? known ?? message
}

/** Where a text has the character for which it was refused, which cannot be seen; undefined if there is another reason. */
export function hiddenIn(reason: string, text: unknown): string | undefined {
  if (!reason.includes('control characters')) return undefined
  // Some names also have no characters without a width, or that change the direction of the text.
  const others = reason.includes('visible') ? `${UNSEEN}\u2028-\u202E` : ''
  const [seen, rest] = String(text).split(new RegExp(`[\\p{Cc}${others}]`, 'u'))
  if (rest === undefined) return undefined
  return `Remove the invisible character ${seen ? `after “${[...seen].slice(-20).join('')}”` : 'at the beginning'}.`
}
