import assert from 'node:assert/strict'
import { deleteAccount, renameAccount, resumeAccount, setPlan, suspendAccount } from '../administration/accounts.ts'
import type { AdminContext } from '../administration/context.ts'
import { revokeKey, rotateKey } from '../administration/keys.ts'
import { correctPet, findPet } from '../administration/pets.ts'
import type { AuditEntry, AuditQuery } from '../audit.ts'
import { INT64_MAX } from '../int64.ts'
import { generateToken } from '../operator.ts'
import { hashSecret } from '../secret.ts'
import type { Store } from '../store.ts'
import {
  audit,
  create,
  createAccount,
  createKey,
  entry,
  NOW,
  newPet,
  nowAndAfterwards,
  type Rule,
} from './fixtures.contract.ts'

/** The audit log of operator actions. */
export function auditContract(rule: Rule): void {
  rule('audit entries come back as they were written, newest first', async (store, reopen) => {
    const odd = { 'old key works until': '2027-03-01', __proto__x: 'x', name: '"; DROP TABLE audit; --🐕\n\u0000' }
    const values = { name: 'Zoë', categoryId: INT64_MAX, count: 7, isSold: false, label: null }
    const newEntries = [
      entry('pet.create', { actor: 'zoë', origin: 'command line', details: odd }),
      entry('pet.import', { at: NOW - 5, accountId: INT64_MAX, tokenId: 7n }),
      entry('pet.correct', { before: values, after: { ...values, categoryId: -INT64_MAX - 1n } }),
      entry('pet.create', { at: NOW + 5, details: { '': '' } }),
    ]
    for (const newEntry of newEntries) await store.addPet(newPet(), newEntry)
    const expected = newEntries.map((newEntry, index) => ({
      ...newEntry,
      id: BigInt(index + 1),
      subjectId: BigInt(index + 1),
    }))
    for await (const kept of nowAndAfterwards(store, reopen)) assert.deepEqual(await audit(kept), expected.toReversed())
  })

  rule('audit entries are found by every filter, alone and with others, page by page', async store => {
    const [anna, other, sam] = [
      await createToken(store, 'Anna'),
      await createToken(store, 'Anna'),
      await createToken(store, 'Sam'),
    ]
    const who = [
      { actor: 'Anna (token 1)', tokenId: anna },
      { actor: 'Anna (token 2)', tokenId: other },
      { actor: 'Sam (token 3)', tokenId: sam },
      { actor: 'Anna', origin: 'command line' },
      { actor: 'nobody' },
    ]
    const actions = ['key.issue', 'key.revoke', 'token.create', 'session.sign-in', 'sign-in.refused'] as const
    for (let index = 0; index < 40; index += 1) {
      const more = { ...who[index % 5], accountId: [undefined, 1n, 2n][index % 3], at: NOW + index }
      // Whatever the action, the subject is the animal that is added.
      await store.addPet(newPet(), entry(actions[(index >> 1) % 5] ?? 'key.issue', more))
    }
    const every = await audit(store)
    assert.equal(every.length, 43)
    const filters: [Partial<AuditQuery>, (one: AuditEntry) => boolean][] = [
      [{}, () => true],
      [{ accountId: 1n }, one => one.accountId === 1n],
      [{ accountId: 4_711n }, () => false],
      [{ action: 'key.issue' }, one => one.action === 'key.issue'],
      [{ action: 'key' }, one => one.action === 'key.issue' || one.action === 'key.revoke'],
      [{ action: 'sign-in' }, one => one.action === 'sign-in.refused'],
      [{ action: 'ban' }, () => false],
      [{ subjectKind: 'key', subjectId: 13n }, one => one.subjectId === 13n && one.action.startsWith('key.')],
      [{ subjectKind: 'token', subjectId: 7n }, one => one.subjectId === 7n && one.action === 'session.sign-in'],
      [{ subjectKind: 'account' }, () => false],
      [{ tokenId: other }, one => one.tokenId === other],
      [{ tokenId: 4_711n }, () => false],
      [{ operatorName: 'Anna' }, one => one.tokenId === anna || one.tokenId === other || one.actor === 'Anna'],
      [{ operatorName: 'nobody' }, one => one.actor === 'nobody'],
      [{ operatorName: 'ada' }, one => one.actor === 'ada'],
      [{ operatorName: 'Anna (token 1)' }, () => false],
      [{ fromTime: NOW + 5 }, one => one.at >= NOW + 5],
      [{ beforeTime: NOW + 30 }, one => one.at < NOW + 30],
      [{ fromTime: NOW + 40 }, () => false],
      [{ beforeId: 20n }, one => one.id < 20n],
      [{ beforeId: INT64_MAX }, () => true],
    ]
    for (const [filter, isMatch] of filters) {
      for (const [another, isOtherMatch] of filters) {
        for (const limit of [1, 5, 100]) {
          const query = { ...filter, ...another, limit }
          const doesReplace = Object.keys(another).some(name => name in filter)
          const matches = (one: AuditEntry) => isOtherMatch(one) && (doesReplace || isMatch(one))
          assert.deepEqual(await audit(store, query), every.filter(matches).slice(0, limit), describe(query))
        }
      }
    }
  })

  rule('the creation of an account is among the audit entries of the account', async store => {
    const { id } = await createAccount(store, 'Acme')
    const expected = [{ ...entry('account.create'), id: 1n, accountId: id, subjectId: id }]
    assert.deepEqual(await audit(store, { accountId: id }), expected)
  })

  rule('the data that operators see has versions, which change with it and only with it', async store => {
    const { id } = await createAccount(store, 'Acme')
    const { key } = await createKey(store, id)
    const rex = await create(store, newPet())
    let before = await store.readVersions()
    const steps: [change: () => Promise<unknown>, changed: string[]][] = [
      [() => store.readVersions(), []],
      [() => store.listAudit({ limit: 1 }), []],
      [() => store.saveCounts([{ accountId: id, counts: {} }]), []],
      [() => store.createPet(newPet(), NOW), ['animals']],
      [() => store.addPet(newPet(), entry('pet.create')), ['animals', 'audit']],
      [() => store.deletePet(rex, entry('pet.delete')), ['animals', 'audit']],
      [() => store.deletePet(rex, entry('pet.delete')), []],
      [
        () => store.setPlan(id, 'pro', { perMinute: 300, perDay: 10_000 }, entry('account.set-plan')),
        ['accounts', 'audit'],
      ],
      [() => store.revokeKey(key.id, entry('key.revoke')), ['accounts', 'audit']],
      [
        () =>
          store.createBan(key.id, {
            source: '192.0.2.7',
            earnedIn: 'minute',
            startedAt: NOW,
            endsAt: NOW + 1,
            ordinal: 1,
          }),
        ['accounts'],
      ],
      [() => createToken(store, 'Anna'), ['audit']],
    ]
    for (const [index, [change, changed]] of steps.entries()) {
      await change()
      const after = await store.readVersions()
      const names = ['animals', 'accounts', 'audit'] as const
      assert.deepEqual(
        names.filter(name => after[name] !== before[name]),
        changed,
        `step ${index}`,
      )
      before = after
    }
  })

  rule('audit entries are never forgotten', async store => {
    await store.addPet(newPet(), entry('pet.create', { at: 0 }))
    await store.deleteExpired(NOW, 99_999)
    assert.equal((await audit(store)).length, 1)
  })

  rule('of many renames at once, each audit entry has the name that the previous one set', async store => {
    const { id } = await createAccount(store, 'Acme')
    const renames = times(20, index => renameAccount(context(store), { account: String(id), name: `Acme ${index}` }))
    await Promise.all(renames)
    const entries = await inOrder(store, 'account.rename')
    assert.equal(entries.length, 20)
    assertChain('Acme', entries, ({ before, after }) => [before?.name, after?.name])
    assert.equal((await store.findAccount(id))?.name, entries.at(-1)?.after?.name)
  })

  rule('of many plan changes at once, each audit entry has the plan that the previous one set', async store => {
    const { id, limits } = await createAccount(store, 'Acme')
    const changes = times(30, index => {
      const other = { perMinute: index + 1, perDay: index + 1 }
      return setPlan(context(store), { account: String(id), plan: 'enterprise', limits: other })
    })
    await Promise.all(changes)
    const entries = await inOrder(store, 'account.set-plan')
    assert.equal(entries.length, 30)
    assertChain(limits.perMinute, entries, ({ before, after }) => [before?.perMinute, after?.perMinute])
  })

  rule('entries are listed with the names of their subjects and accounts', async (store, reopen) => {
    const { id: accountId } = await createAccount(store, 'Acme')
    const account = { accountId }
    const { key } = await createKey(store, accountId, { name: 'till' })
    const unnamed = (await createKey(store, accountId, { hint: '9zfc' })).key
    for (const { id } of [key, unnamed]) await store.revokeKey(id, entry('key.revoke', account))
    await store.renameAccount(accountId, 'Zoo', entry('account.rename', account))
    const tokenId = await createToken(store, 'Anna')
    const pet = await create(store, newPet({ name: 'Rex' }))
    await store.correctPet(pet, { ...pet, name: 'Max' }, entry('pet.correct'))
    await store.labelCategory(7n, 'Cats', entry('category.label'))
    for await (const current of nowAndAfterwards(store, reopen)) {
      const found = await current.listAudit({ limit: 6 })
      assert.deepEqual(
        found
          .toReversed()
          .map(({ action, subjectId, subjectName, accountName }) => [
            `${action} ${subjectId}`,
            subjectName,
            accountName,
          ]),
        [
          [`key.revoke ${key.id}`, 'till', 'Zoo'],
          [`key.revoke ${unnamed.id}`, '…9zfc', 'Zoo'],
          [`account.rename ${accountId}`, 'Zoo', 'Zoo'],
          [`token.create ${tokenId}`, 'Anna', undefined],
          [`pet.correct ${pet.id}`, 'Max', undefined],
          ['category.label 7', 'Cats', undefined],
        ],
      )
    }
  })

  rule('an entry about something deleted has the name that this had', async store => {
    const pet = await create(store, newPet({ name: 'Rex' }))
    await store.deletePet(pet, entry('pet.delete', { before: { ...pet } }))
    const { id: accountId } = await createAccount(store, 'Acme')
    await store.deleteAccount(accountId, entry('account.delete', { accountId, before: { name: 'Acme' } }))
    const found = await store.listAudit({ limit: 10 })
    const names = found.toReversed().map(({ action, subjectName }) => [action, subjectName])
    assert.deepEqual(
      names.filter(([action]) => String(action).endsWith('.delete')),
      [
        ['pet.delete', 'Rex'],
        ['account.delete', 'Acme'],
      ],
    )
  })

  rule('an audit entry about an account has the name of that moment', async store => {
    const { id } = await createAccount(store, 'Acme')
    const account = String(id)
    const rename = (index: number) => renameAccount(context(store), { account, name: `Acme ${index}` })
    const changes = times(10, index => [
      rename(index),
      suspendAccount(context(store), account),
      resumeAccount(context(store), account),
    ])
    await Promise.allSettled([...changes.flat(), deleteAccount(context(store), account), rename(99)])
    let name: unknown = 'Acme'
    const entries = (await audit(store, { accountId: id })).toReversed().slice(1)
    assert.ok(entries.some(({ action }) => action === 'account.suspend'))
    for (const { action, details, before, after } of entries) {
      assert.equal(before?.name ?? details.name, name, action)
      name = after?.name ?? name
    }
    assert.equal(entries.at(-1)?.action, 'account.delete')
  })

  rule(
    'of many corrections of an animal at once, each audit entry has the values that the previous one set',
    async store => {
      const { id } = await create(store, newPet())
      await Promise.all(
        times(20, index =>
          persist(async () => {
            await correctPet(context(store), await findPet(store, String(id)), { name: `Max ${index}` })
          }),
        ),
      )
      const entries = await inOrder(store, 'pet.correct')
      assert.equal(entries.length, 20)
      assertChain('Rex', entries, ({ before, after }) => [before?.name, after?.name])
    },
  )

  rule(
    'a key that many rotate and revoke at once is done so once each at most, and the audit log agrees',
    async store => {
      const { id } = await createAccount(store, 'Acme')
      const { key } = await createKey(store, id)
      const keyId = String(key.id)
      const outcomes = await Promise.allSettled(
        times(20, index =>
          index % 2 === 0 ? rotateKey(context(store), { keyId, overlapSeconds: 60 }) : revokeKey(context(store), keyId),
        ),
      )
      const entries = [...(await inOrder(store, 'key.rotate')), ...(await inOrder(store, 'key.revoke'))]
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, entries.length)
      const successor = entries.find(({ action }) => action === 'key.rotate')?.after?.replacedBy
      const { replacedBy } = (await store.findKey(key.id)) ?? {}
      assert.equal(replacedBy && Number(replacedBy), successor)
    },
  )
}

function context(store: Store): AdminContext {
  return { store, deployment: 'production', actor: { name: 'ada', origin: '192.0.2.7' }, now: NOW }
}

async function createToken(store: Store, name: string): Promise<bigint> {
  const token = {
    hash: hashSecret(generateToken('production')),
    hint: 'hint',
    name,
    role: 'admin',
    expiresAt: undefined,
  } as const
  return (await store.createToken(token, entry('token.create'))).id
}

function describe(query: AuditQuery): string {
  return JSON.stringify(query, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

function times<Result>(count: number, make: (index: number) => Result): Result[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

/** Retries if someone else was faster. */
async function persist(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if ((error as { kind?: string }).kind !== 'conflict') throw error
    }
  }
}

async function inOrder(store: Store, action: AuditEntry['action']): Promise<AuditEntry[]> {
  return (await audit(store, { action })).toReversed()
}

/** Asserts that each entry starts with the value that the previous one set. */
function assertChain(
  first: unknown,
  entries: readonly AuditEntry[],
  read: (entry: AuditEntry) => readonly unknown[],
): void {
  let last: unknown = first
  for (const entry of entries) {
    const [was, is] = read(entry)
    assert.equal(was, last)
    last = is
  }
}
