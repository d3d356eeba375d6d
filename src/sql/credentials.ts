import { type OperatorToken, ROLES } from '../domain/operator.ts'
import type { Session } from '../domain/session.ts'
import type { SignInLink } from '../domain/sign-in-link.ts'
import { ALL, type Page } from '../domain/store/page.ts'
import { ID, oneOf, optional, rowReader, TEXT, TIME } from './row-reader.ts'
import { all, first, type Query } from './statement.ts'

const tokenOf = rowReader<OperatorToken>('a token', {
  id: ID,
  name: TEXT,
  role: oneOf(ROLES),
  source: optional(TEXT),
  hint: TEXT,
  createdAt: TIME,
  expiresAt: optional(TIME),
  revokedAt: optional(TIME),
})

const TOKEN = `SELECT ${tokenOf.columns} FROM operator_token`

export function tokens({ afterId, limit }: Page = ALL): Query<OperatorToken[]> {
  return all(`${TOKEN} WHERE id > ? ORDER BY id LIMIT ?`, [afterId, limit], tokenOf)
}

export function tokenById(id: bigint): Query<OperatorToken | undefined> {
  return first(`${TOKEN} WHERE id = ?`, [id], tokenOf)
}

export function tokenByHash(hash: string): Query<OperatorToken | undefined> {
  return first(`${TOKEN} WHERE hash = ?`, [hash], tokenOf)
}

const readEnd = rowReader('a session or a link', { ownExpiresAt: TIME })

export function sessionByHash(hash: string): Query<Session | undefined> {
  return withTokenByHash('session', hash)
}

export function signInLinkByHash(hash: string): Query<SignInLink | undefined> {
  return withTokenByHash('sign_in_link', hash)
}

function withTokenByHash(table: 'session' | 'sign_in_link', hash: string) {
  return first(
    `SELECT id, name, role, source, hint, created_at, operator_token.expires_at, revoked_at, ${table}.expires_at AS own_expires_at
     FROM ${table} JOIN operator_token ON operator_token.id = token_id WHERE ${table}.hash = ?`,
    [hash],
    row => ({ token: tokenOf(row), expiresAt: readEnd(row).ownExpiresAt }),
  )
}
