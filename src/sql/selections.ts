/** What is read of each thing, in words that every store's SQL has: the beginnings of SELECTs, whose rows are those of rows.ts. */

export const PET = 'SELECT id, name, category_id, status FROM pet'
/** Where each animal has a checksum. */
export const PET_WITH_CHECKSUM = 'SELECT id, name, category_id, status, checksum FROM pet'
export const ACCOUNT = `SELECT account.id, account.name, plan, per_minute, per_day, created_at, suspended_at,
    (SELECT CAST(coalesce(sum(admitted), 0) AS BIGINT) FROM usage WHERE account_id = account.id AND operation = 'getPet') AS deprecated_calls,
    (SELECT max(last_at) FROM usage WHERE account_id = account.id AND operation = 'getPet') AS last_deprecated_call_at
  FROM account`
export const KEY = `SELECT api_key.id, account_id, account.name AS account_name, api_key.name, hint, api_key.created_at, expires_at,
    revoked_at, (SELECT max(last_at) FROM usage WHERE key_id = api_key.id) AS last_used_at, replaced_by
  FROM api_key JOIN account ON account.id = account_id`
export const BAN = 'SELECT id, key_id, started_at, ends_at, ordinal, lifted_at FROM ban'
export const CALLER = `SELECT api_key.hash, api_key.id AS key_id, account_id, plan, per_minute, per_day, suspended_at, expires_at, revoked_at,
    ban.id AS ban_id, started_at, ends_at, ordinal, lifted_at
  FROM api_key JOIN account ON account.id = account_id
    LEFT JOIN ban ON ban.id = (SELECT max(id) FROM ban WHERE key_id = api_key.id)`
export const TOKEN = 'SELECT id, name, role, hint, created_at, expires_at, revoked_at FROM operator_token'
export const AUDIT = 'SELECT id, at, actor, origin, action, subject_id, account_id, details FROM audit'
export const COUNTS = 'SELECT account_id, minute_used, minute_resets_at, day_used, day_resets_at FROM account_count'
