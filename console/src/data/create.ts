import { useState } from 'react'
import { isUndecided } from '../api/errors.ts'
import { formatJson } from '../api/json.ts'
import { randomUuid } from '../lib/random-uuid.ts'
import { type Upkeep, useWrite } from './write.ts'

/** A press of a button that creates something. */
interface Attempt {
  /** The service carries out only one call with this key. */
  idempotencyKey: string
  /** When the button was first pressed, in Unix milliseconds. */
  at: number
}

/**
 * A write that creates something. While its outcome is unknown, pressing the button again with the same input repeats the same attempt, so that
 * nothing is created twice.
 */
export function useCreate<Value, Wanted>(
  send: (wanted: Wanted, attempt: Attempt) => Promise<Value>,
  upkeep: Upkeep<Value>,
) {
  const [undecided] = useState(() => new Map<string, Attempt>())
  return useWrite(async (wanted: Wanted) => {
    const input = formatJson(wanted)
    const attempt = undecided.get(input) ?? { idempotencyKey: randomUuid(), at: Date.now() }
    undecided.set(input, attempt)
    try {
      const value = await send(wanted, attempt)
      undecided.delete(input)
      return value
    } catch (error) {
      if (!isUndecided(error)) undecided.delete(input)
      throw error
    }
  }, upkeep)
}
