import { MAX_SESSIONS_PER_TOKEN } from '../domain/session.ts'

/** Makes room for one more session of a token, which it names twice. Those go that would be over first. */
export const DELETE_SURPLUS_SESSIONS = `DELETE FROM session WHERE token_id = ? AND hash NOT IN
  (SELECT hash FROM session WHERE token_id = ? ORDER BY expires_at DESC, hash LIMIT ${MAX_SESSIONS_PER_TOKEN - 1})`
