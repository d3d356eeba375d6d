import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { eventually } from '../../test/support/eventually.ts'
import { inTime } from '../../test/support/in-time.ts'
import { skip } from '../../test/support/servers/needs.ts'
import { noPostgres, type PostgresServer, startPostgres } from '../../test/support/servers/postgres.ts'
import { StoreUnavailable, UserError } from '../domain/errors.ts'
import { DEFAULT_SOURCE } from '../domain/source.ts'
import { newClaimLink } from '../domain/store-contract/claim-links.contract.ts'
import { countsOf } from '../domain/store-contract/counts.contract.ts'
import {
  create,
  createAccount,
  createKey,
  createToken,
  entry,
  firstPage,
  LIMITS,
  NOW,
  newKey,
  newPet,
  newToken,
} from '../domain/store-contract/fixtures.contract.ts'
import { refusedCall } from '../domain/store-contract/refusals.contract.ts'
import { usageOf } from '../domain/store-contract/usage.contract.ts'
import { daysFrom } from '../domain/usage.ts'
import type { Operation } from '../sql/operation.ts'
import { operationsOf } from '../sql/operations.ts'
import { SqlStore } from '../sql/store.ts'
import { COMMAND_CONNECT_MS } from './connection.ts'
import { POSTGRES } from './dialect.ts'
import { PostgresStore } from './store.ts'

// A server that hangs, dies, or accepts no more connections. The effect of locks on single calls is tested in store.servers.test.ts.

/** Every call ends within two seconds. The rest is for what this test does meanwhile: its calls begin together. */
const BOUND_MS = 2_000 + 500

test('every call ends in time while the server hangs, and works again when it continues', async t => {
  const server = await startServer(t)
  if (!server) return
  const store = await openStore(t, server)
  const pet = await create(store, newPet())
  const account = await createAccount(store, 'Acme')
  const { hash, key } = await createKey(store, account.id)
  const { token } = await createToken(store)
  const ban = await store.createBan(key.id, {
    source: '192.0.2.7',
    earnedIn: 'minute',
    startedAt: NOW,
    endsAt: NOW + 1,
    ordinal: 1,
  })
  const everything = { name: 'rex', limit: 1_000 }
  const calls: Record<string, () => Promise<unknown>> = {
    check: () => store.check(),
    listPets: () => store.listPets(firstPage),
    findPet: () => store.findPet(pet.id),
    createPet: () => store.createPet(newPet(), NOW),
    createPetOnce: () => store.createPet(newPet(), NOW, { accountId: account.id, key: 'key', fingerprint: 'body' }),
    addPet: () => store.addPet(newPet(), entry('pet.create')),
    correctPet: () => store.correctPet(pet, { ...pet, name: 'Max' }, entry('pet.correct')),
    deletePet: () => store.deletePet(pet, entry('pet.delete')),
    findCaller: () => store.findCaller(hash),
    createAccount: () => createAccount(store, 'Other'),
    findAccount: () => store.findAccount(account.id),
    findAccountByName: () => store.findAccountByName('Acme'),
    renameAccount: () => store.renameAccount(account.id, 'Zoo', entry('account.rename')),
    setPlan: () => store.setPlan(account.id, 'pro', LIMITS, entry('account.set-plan')),
    setSuspended: () => store.setSuspended(account.id, NOW, entry('account.suspend')),
    createKey: () => createKey(store, account.id),
    listKeys: () => store.listKeys({ accountId: account.id }),
    findKey: () => store.findKey(key.id),
    changeKey: () => store.changeKey(key.id, { scope: 'read' }, entry('key.change')),
    replaceKey: () => store.replaceKey(key.id, NOW + 10, newKey(account.id), entry('key.rotate')),
    revokeKey: () => store.revokeKey(key.id, entry('key.revoke')),
    createBan: () =>
      store.createBan(key.id, { source: '192.0.2.7', earnedIn: 'minute', startedAt: NOW, endsAt: NOW + 1, ordinal: 2 }),
    listBans: () => store.listBans(),
    findBan: () => store.findBan(ban.id),
    liftBan: () => store.liftBan(ban.id, entry('ban.lift')),
    listCounts: () => store.listCounts(NOW),
    findCounts: () => store.findCounts(account.id),
    saveCounts: () => store.saveCounts([countsOf(account.id, 3)]),
    createToken: () => store.createToken(newToken(), entry('token.create')),
    listTokens: () => store.listTokens(),
    findToken: () => store.findToken(token.id),
    findPermitFault: () => store.findPermitFault({ tokenId: token.id, role: 'staff' }, NOW),
    findCreation: () => store.findCreation('key', NOW),
    findTokenByHash: () => store.findTokenByHash('hash'),
    revokeToken: () => store.revokeToken(token.id, entry('token.revoke')),
    createSession: () =>
      store.createSession({ hash: 'session', tokenId: token.id, expiresAt: NOW + 1 }, entry('session.sign-in')),
    findSession: () => store.findSession('session'),
    deleteSession: () => store.deleteSession('session', entry('session.sign-out')),
    recordAudit: () => store.recordAudit(entry('sign-in.refused')),
    listAudit: () => store.listAudit({ limit: 10 }),
    addUsage: () => store.addUsage([usageOf({ accountId: account.id, keyId: key.id, admitted: 1 })]),
    addRefusals: () => store.addRefusals([refusedCall({ keyId: key.id })]),
    listRefusals: () => store.listRefusals({ keyId: key.id }),
    foldUsage: () => store.foldUsage({ all: true }),
    deleteExpired: () => store.deleteExpired(NOW, 0),
    searchPets: () => store.searchPets(everything),
    searchDeletedPets: () => store.searchDeletedPets(everything),
    createClaimLink: () => store.createClaimLink(newClaimLink(account.id), entry('claim-link.create')),
    listClaimLinks: () => store.listClaimLinks(),
    findClaimLink: () => store.findClaimLink(1n),
    findClaimLinkByHash: () => store.findClaimLinkByHash('link'),
    claimKey: () => store.claimKey(1n, { hash: 'claimed', hint: 'hint' }, entry('key.claim')),
    revokeClaimLink: () => store.revokeClaimLink(1n, entry('claim-link.revoke')),
    createSignInLink: () =>
      store.createSignInLink({ hash: 'link', tokenId: token.id, expiresAt: NOW + 1 }, entry('token.link')),
    findSignInLink: () => store.findSignInLink('link'),
    redeemSignInLink: () =>
      store.redeemSignInLink(
        'link',
        { hash: 'other session', tokenId: token.id, expiresAt: NOW + 1 },
        entry('session.sign-in'),
      ),
    listAccountNames: () => store.listAccountNames(firstPage),
    findLastBan: () => store.findLastBan(key.id, '192.0.2.7'),
    readClock: () => store.readClock(),
    confirmClock: () => store.confirmClock(NOW),
    readVersions: () => store.readVersions(),
    countPets: () => store.countPets(everything),
    previewPets: () => store.previewPets(everything),
    correctPets: () => store.correctPets(everything, { name: 'Max' }, '', entry('pet.correct-many')),
    deletePets: () => store.deletePets(everything, '', entry('pet.delete-many')),
    previewUndo: () => store.previewUndo(1n),
    undo: () => store.undo(1n, entry('pet.undo')),
    bringBackPet: () => store.bringBackPet(pet, entry('pet.restore')),
    listPetsOfEntry: () => store.listPetsOfEntry({ entryId: 1n, afterId: 0n, limit: 10 }),
    listPetHistory: () => store.listPetHistory({ petId: pet.id, limit: 10 }),
    indexPets: () => store.indexPets({ minAnimals: 1, maxMs: 0 }),
    listCategories: () => store.listCategories({ limit: 10 }),
    findCategories: () => store.findCategories([7n]),
    labelCategory: () => store.labelCategory(7n, 'Dogs', entry('category.label')),
    unlabelCategory: () => store.unlabelCategory(7n, entry('category.unlabel')),
    listSources: () => store.listSources({}),
    createSource: () => store.createSource({ name: 'zoo', ...DEFAULT_SOURCE }, entry('source.create')),
    changeSource: () => store.changeSource(1n, DEFAULT_SOURCE, entry('source.change')),
    removeSource: () => store.removeSource(1n, entry('source.remove')),
    listSourceRuns: () => store.listSourceRuns({ sourceId: 1n, limit: 1 }),
    findOrigins: () => store.findOrigins([pet.id]),
    findByExternalId: () => store.findByExternalId('A1'),
    listAccounts: () => store.listAccounts({ at: NOW, sort: 'usage' }),
    sumUsage: () => store.sumUsage({ range: daysFrom(0, 99_999), by: [] }),
    deleteAccount: () => store.deleteAccount(account.id, entry('account.delete')),
  }
  const operations: Readonly<Record<string, Operation>> = operationsOf(POSTGRES)
  const parts = ['create', 'read', 'readLong', 'write', 'countNextPets', 'indexNextPets']
  const others = [
    'constructor',
    'close',
    'cursorSecret',
    'instances',
    'name',
    'renew',
    'revision',
    'settledPetId',
    'lastChangeOf',
    'settleChanges',
    ...parts,
  ]
  const written = [PostgresStore, SqlStore].flatMap(one => Object.getOwnPropertyNames(one.prototype))
  const methods = new Set([...Object.keys(operations), ...written])
  const missing = [...methods].filter(name => !Object.hasOwn(calls, name))
  assert.deepEqual(missing.toSorted(), others.toSorted(), 'every method is called')

  await server.signal('SIGSTOP')
  const [long = [], quick = []] = [true, false].map(isLong =>
    Object.entries(calls).filter(([name]) => (operations[name]?.kind === 'long read') === isLong),
  )
  await Promise.all(quick.map(([name, call]) => assertUnavailable(name, call)))
  // Long reads share a few connections: if more arrive at the same time, some wait for their turn.
  for (let first = 0; first < long.length; first += 6) {
    await Promise.all(long.slice(first, first + 6).map(([name, call]) => assertUnavailable(name, call)))
  }
  await Promise.all(Array.from({ length: 100 }, () => assertUnavailable('findPet', () => store.findPet(pet.id))))
  await server.signal('SIGCONT')

  await eventually(() => store.check())
  for (const call of Object.values(calls)) await eventually(call)
})

test('a server that dies during creations loses none, and each repeated one creates one animal', async t => {
  const server = await startServer(t)
  if (!server) return
  const store = await openStore(t, server)
  const { id: accountId } = await createAccount(store, 'Acme')
  const acknowledged = new Map<string, bigint>()
  let refused = 0
  let made = 0
  const createOne = async () => {
    made += 1
    const name = `animal ${made}`
    for (;;) {
      try {
        const creation = await store.createPet(newPet({ name }), NOW, { accountId, key: name, fingerprint: name })
        if (creation.outcome === 'in_progress') continue
        assert.ok('pet' in creation)
        assert.equal(creation.pet.name, name)
        acknowledged.set(name, creation.pet.id)
        return
      } catch (error) {
        assert.ok(error instanceof StoreUnavailable, String(error))
        refused += 1
        await sleep(20)
      }
    }
  }
  for (let crash = 0; crash < 3; crash += 1) {
    let isOver = false
    const creating = Array.from({ length: 32 }, async () => {
      while (!isOver) await createOne()
    })
    const before = acknowledged.size
    await eventually(() => assert.ok(acknowledged.size > before + 200))
    const refusedBefore = refused
    await server.signal('SIGKILL')
    await eventually(() => assert.ok(refused > refusedBefore))
    await server.start()
    isOver = true
    await Promise.all(creating)
  }
  const { pets } = await store.listPets({ ...firstPage, limit: 100_000 })
  assert.deepEqual(new Map(pets.map(({ id, name }) => [name, id])), acknowledged)
  assert.equal(pets.length, acknowledged.size, 'no animal is there twice')
  t.diagnostic(`${acknowledged.size} animals, ${refused} creations refused and repeated`)
})

test('a server that accepts no more connections keeps the existing ones, and works again afterwards', async t => {
  const server = await startServer(t, ['max_connections=20'])
  if (!server) return
  const store = await openStore(t, server)
  const pet = await create(store, newPet())
  const others: Client[] = []
  for (let isFull = false; !isFull; ) {
    const client = new Client({ connectionString: server.url })
    await client.connect().then(
      () => others.push(client),
      () => {
        isFull = true
      },
    )
  }
  const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => store.findPet(pet.id)))
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  for (const { reason } of refused as PromiseRejectedResult[]) assert.ok(reason instanceof StoreUnavailable)
  assert.deepEqual(await eventually(() => store.findPet(pet.id)), pet, 'the connections that are there go on')
  await Promise.all(others.map(client => client.end()))
  const after = await eventually(() => Promise.all(Array.from({ length: 100 }, () => store.findPet(pet.id))))
  assert.ok(after.every(found => found?.id === pet.id))
})

test('opening a store that cannot be reached fails, without showing its password', async t => {
  const server = await startServer(t)
  if (!server) return
  const url = server.url.replace('postgres@', 'postgres:geheim@')
  await server.signal('SIGSTOP')
  const refused = assert.rejects(PostgresStore.open(url, 'production'), isUserErrorWithoutPassword)
  // A command waits longer for its connection than a call of a service.
  await inTime(COMMAND_CONNECT_MS + BOUND_MS, 'opening the store', refused)
  await server.signal('SIGKILL')
  await assert.rejects(PostgresStore.open(url, 'production', { instances: 'many' }), isUserErrorWithoutPassword)
})

test('closing ends in time while the server hangs', async t => {
  const server = await startServer(t)
  if (!server) return
  const store = await PostgresStore.open(server.url, 'production', { instances: 'many' })
  await create(store, newPet())
  await server.signal('SIGSTOP')
  const refused = assertUnavailable('createPet', () => create(store, newPet()))
  // First for the calls in progress, and then for the lease, which may have to wait for a response of its own.
  await inTime(BOUND_MS + 2_000, 'closing', store.close())
  await refused
})

async function startServer(t: TestContext, settings: readonly string[] = []): Promise<PostgresServer | undefined> {
  if (noPostgres) return void skip(t, noPostgres)
  const server = await startPostgres(settings)
  t.after(() => server.close())
  return server
}

async function openStore(t: TestContext, { url }: PostgresServer): Promise<PostgresStore> {
  const store = await PostgresStore.open(url, 'production', { instances: 'many' })
  t.after(() => store.close())
  return store
}

function assertUnavailable(name: string, call: () => Promise<unknown>): Promise<void> {
  return inTime(BOUND_MS, name, assert.rejects(call(), StoreUnavailable, name))
}

function isUserErrorWithoutPassword(error: unknown): boolean {
  assert.ok(error instanceof UserError, String(error))
  assert.match(error.message, /^The database 127\.0\.0\.1:\d+\/postgres cannot be used: /)
  assert.doesNotMatch(error.message, /geheim/)
  return true
}
