import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { revokeToken } from '../../src/domain/administration/tokens.ts'
import { SESSION_MS } from '../../src/domain/session.ts'
import type { ErrorCode } from '../../src/schema/error-codes.ts'
import { assertRefused, type CallOptions, type OperatorService } from './operator.ts'
import { CHANGING, exampleOf, GUARDED } from './operator-examples.ts'

/** The operations that a slow body can hold up between the gates and the write. */
const HELD = GUARDED.filter(({ body, upload }) => body !== undefined || upload !== undefined)

type Credentials = Pick<CallOptions, 'token' | 'cookie' | 'csrf'>

interface Way {
  what: string
  code: ErrorCode
  /** Only for operations of admins. */
  onlyAdmins?: true
  /** Returns credentials, and a function that makes them worthless. */
  prepare(
    service: OperatorService,
    other: OperatorService,
  ): Promise<{ credentials: Credentials; end(): Promise<unknown> }>
}

const WAYS: readonly Way[] = [
  {
    what: 'a token that a command revokes',
    code: 'invalid_token',
    async prepare(service) {
      const { id, token } = await service.createToken('admin')
      return { credentials: { token }, end: () => revokeToken(service.adminContext(), String(id)) }
    },
  },
  {
    what: 'a token that another operator revokes',
    code: 'invalid_token',
    async prepare(service, other) {
      const { id, token } = await service.createToken('admin')
      return { credentials: { token }, end: () => succeed(other, 'POST', `/tokens/${id}/revoke`) }
    },
  },
  {
    what: 'a token that expires',
    code: 'invalid_token',
    async prepare(service) {
      const { token } = await service.createToken('admin', { expiresAt: service.clock.now + 1_000 })
      return { credentials: { token }, end: async () => service.clock.advance(1_000) }
    },
  },
  {
    what: 'a token whose role is narrowed',
    code: 'role_insufficient',
    onlyAdmins: true,
    async prepare(service) {
      const { id, token } = await service.createToken('admin')
      const narrow = `UPDATE operator_token SET role = 'staff' WHERE id = ${id}`
      return { credentials: { token }, end: () => service.backend.execute(narrow) }
    },
  },
  {
    what: 'a session that signs out',
    code: 'invalid_token',
    async prepare(service, other) {
      const { cookie, csrf } = await service.signIn(service.admin.token)
      return { credentials: { cookie, csrf }, end: () => succeed(other, 'DELETE', '/session', { cookie, csrf }) }
    },
  },
  {
    what: 'a session whose token is revoked',
    code: 'invalid_token',
    async prepare(service, other) {
      const { id, token } = await service.createToken('admin')
      const { cookie, csrf } = await service.signIn(token)
      return { credentials: { cookie, csrf }, end: () => succeed(other, 'POST', `/tokens/${id}/revoke`) }
    },
  },
  {
    what: 'a session that expires',
    code: 'invalid_token',
    async prepare(service) {
      const { cookie, csrf } = await service.signIn(service.admin.token)
      return { credentials: { cookie, csrf }, end: async () => service.clock.advance(SESSION_MS) }
    },
  },
]

/** Checks every operation that takes a body, with every way in which an operator loses the right to it while the body is on its way. */
export async function checkRightsInFlight(t: TestContext, service: OperatorService, other = service): Promise<void> {
  const changing = CHANGING.filter(one => HELD.includes(one))
  assert.ok(changing.length >= 12, 'the operations that change something')
  for (const { what, code, onlyAdmins, prepare } of WAYS) {
    for (const operation of HELD.filter(({ role }) => role === 'admin' || !onlyAdmins)) {
      await t.test(`${operation.id} with ${what}`, async () => {
        const { method, path, options } = await exampleOf(operation, service)
        const { credentials, end } = await prepare(service, other)
        const held = await service.hold(method, path, { ...options, ...credentials })
        await end()
        const before = await contents(service)
        assertRefused(await held.finish(), code)
        assert.deepEqual(await contents(service), before)
      })
    }
  }
}

async function succeed(service: OperatorService, method: string, path: string, options?: CallOptions): Promise<void> {
  const { status, text } = await service.call(method, path, options)
  assert.ok(status < 300, text)
}

/** All that operators can change, and the audit log. */
async function contents({ store }: OperatorService): Promise<unknown> {
  return [
    await store.listAudit({ limit: 100_000 }),
    (await store.listPets({ status: undefined, afterId: 0n, limit: 100_000 })).pets,
    await store.listCategories({ limit: 100_000 }),
    await store.listAccounts({ at: 0 }),
    await store.listKeys(),
    await store.listClaimLinks(),
    await store.listTokens(),
  ]
}
