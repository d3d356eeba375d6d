import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeStore } from './support/command-line.ts'
import { startOperatorService } from './support/operator.ts'
import { canRunInstances } from './support/servers/instances.ts'
import { query } from './support/servers/postgres.ts'

test('an action that is repeated, because its answer was lost, is refused only when no instance can act on the state before it', async t => {
  if (!canRunInstances(t)) return
  const service = await startOperatorService(t, { backend: 'scaled' })
  const databaseUrl = service.config.databaseUrl as string
  const { account } = await service.createCaller()
  const { keyId } = await service.createCaller()
  const command = await makeStore(t, { PETSTORE_DATABASE_URL: databaseUrl })
  const repeated: readonly [string, lost: string, repeat: () => Promise<unknown>][] = [
    [
      'a revocation',
      `UPDATE api_key SET revoked_at = 1 WHERE id = ${keyId}`,
      async () => assert.equal((await service.call('POST', `/keys/${keyId}/revoke`)).json.code, 'conflict'),
    ],
    [
      'a deletion',
      `DELETE FROM api_key WHERE account_id = ${account.id}; DELETE FROM account WHERE id = ${account.id}`,
      async () => assert.equal((await service.call('DELETE', `/accounts/${account.id}`)).json.code, 'not_found'),
    ],
    [
      'a deletion by a command',
      'UPDATE revision SET callers = callers + 1',
      async () => assert.equal((await command.run('account', 'delete', `${account.id}`, '--yes')).code, 1),
    ],
  ]
  for (const [name, lost, repeat] of repeated) {
    await query(databaseUrl, INSTANCE_THAT_HANGS)
    await query(databaseUrl, lost)
    await repeat()
    assert.deepEqual(await query(databaseUrl, 'SELECT FROM instance WHERE renewals < 0'), [], name)
  }
})

/** Others wait for it until its lease has ended, and then delete it. */
const INSTANCE_THAT_HANGS = `INSERT INTO instance (seen, renewals, counts_alone) SELECT callers + corrections, -1, false FROM revision`
