import assert from 'node:assert/strict'
import { hashSecret } from '../secret.ts'
import { MAX_SESSIONS_PER_TOKEN } from '../session.ts'
import { audit, createToken, entry, NOW, newToken, nowAndAfterwards, type Rule } from './fixtures.contract.ts'

/** The operators' tokens and sessions. */
export function operatorsContract(rule: Rule): void {
  rule('a token is found by its hash and listed by id, without its hash', async (store, reopen) => {
    const newTokens = [
      newToken({ name: 'büro 🐕', role: 'staff', hint: 'abcd', expiresAt: NOW + 10 }),
      newToken({ name: 'ada' }),
      newToken({ name: 'ada' }),
    ]
    const tokens = []
    for (const one of newTokens) tokens.push(await store.createToken(one, entry('token.create')))
    assert.deepEqual(tokens[0], {
      id: 1n,
      name: 'büro 🐕',
      role: 'staff',
      source: undefined,
      hint: 'abcd',
      createdAt: NOW,
      expiresAt: NOW + 10,
      revokedAt: undefined,
    })
    for await (const kept of nowAndAfterwards(store, reopen)) {
      assert.deepEqual(await kept.listTokens(), tokens)
      for (const [index, { hash }] of newTokens.entries())
        assert.deepEqual(await kept.findTokenByHash(hash), tokens[index])
      for (const unknown of ['', hashSecret('unknown'), newTokens[0]?.hash.toUpperCase() ?? '']) {
        assert.equal(await kept.findTokenByHash(unknown), undefined)
      }
    }
  })

  rule('tokens are listed page by page', async store => {
    for (let n = 0; n < 5; n += 1) await createToken(store)
    const ids = async (afterId: bigint) => (await store.listTokens({ afterId, limit: 2 })).map(({ id }) => id)
    assert.deepEqual(await ids(0n), [1n, 2n])
    assert.deepEqual(await ids(2n), [3n, 4n])
    assert.deepEqual(await ids(4n), [5n])
    assert.deepEqual(await ids(5n), [])
  })

  rule('when ten operators revoke a token at once, exactly one succeeds, with one audit entry', async store => {
    const { hash, token } = await createToken(store)
    const newEntry = entry('token.revoke', { at: NOW + 3, details: { name: 'ada' } })
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => store.revokeToken(token.id, newEntry)))
    assert.equal(outcomes.filter(Boolean).length, 1)
    assert.deepEqual(await store.findTokenByHash(hash), { ...token, revokedAt: NOW + 3 })
    assert.deepEqual((await audit(store))[0], { ...newEntry, id: 2n, subjectId: token.id })
    assert.equal(await store.revokeToken(4_711n, newEntry), false)
    assert.equal((await audit(store)).length, 2)
  })

  rule('a session is found with the current state of its token, even if one of them is over', async (store, reopen) => {
    const { token } = await createToken(store, { role: 'staff', expiresAt: NOW + 100 })
    const other = await createToken(store)
    const hash = hashSecret('a session')
    const newEntry = entry('session.sign-in', { details: { token: '1' } })
    await store.createSession({ hash, tokenId: token.id, expiresAt: NOW - 1 }, newEntry)
    await store.createSession({ hash: hashSecret('another'), tokenId: other.token.id, expiresAt: NOW + 9 }, newEntry)
    assert.deepEqual(await store.findSession(hash), { token, expiresAt: NOW - 1 })
    assert.deepEqual((await audit(store))[1], { ...newEntry, id: 3n, subjectId: token.id })
    await store.revokeToken(token.id, entry('token.revoke', { at: NOW + 3 }))
    for await (const kept of nowAndAfterwards(store, reopen)) {
      const revoked = { ...token, revokedAt: NOW + 3 }
      assert.deepEqual(await kept.findSession(hash), { token: revoked, expiresAt: NOW - 1 })
      assert.equal(await kept.findSession(hashSecret('unknown')), undefined)
    }
  })

  rule('a session is deleted once, and other sessions are kept', async store => {
    const { token } = await createToken(store)
    const [hash, other] = [hashSecret('a session'), hashSecret('another')]
    for (const one of [hash, other]) {
      await store.createSession({ hash: one, tokenId: token.id, expiresAt: NOW + 9 }, entry('session.sign-in'))
    }
    const newEntry = entry('session.sign-out')
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => store.deleteSession(hash, newEntry)))
    assert.equal(outcomes.filter(Boolean).length, 1)
    assert.equal(await store.findSession(hash), undefined)
    assert.deepEqual(await store.findSession(other), { token, expiresAt: NOW + 9 })
    const [newest, ...older] = await audit(store)
    assert.deepEqual(newest, { ...newEntry, id: 4n, subjectId: token.id })
    assert.equal(older.length, 3)
  })

  rule('a session ends the sessions that it replaces, and no others', async store => {
    const { token } = await createToken(store)
    const session = (hash: string, replaces?: string[]) =>
      store.createSession(
        { hash, tokenId: token.id, expiresAt: NOW + 9, ...(replaces && { replaces }) },
        entry('session.sign-in'),
      )
    for (const hash of ['one', 'two', 'three']) await session(hash)
    await session('four', ['one', 'unknown', 'two', 'one'])
    assert.deepEqual((await audit(store))[0]?.details, { ended: 2 })
    const found = await Promise.all(['one', 'two', 'three', 'four'].map(hash => store.findSession(hash)))
    assert.deepEqual(found.map(Boolean), [false, false, true, true])
    await session('five', ['unknown'])
    assert.deepEqual((await audit(store))[0]?.details, {})
  })

  rule('a token has a limited number of sessions: the newest, even when many begin at once', async store => {
    const [{ token }, other] = [await createToken(store), await createToken(store)]
    const begin = (name: string, tokenId: bigint, expiresAt: number) =>
      store.createSession({ hash: name, tokenId, expiresAt }, entry('session.sign-in'))
    await begin('other', other.token.id, NOW + 1)
    const all = Array.from({ length: MAX_SESSIONS_PER_TOKEN + 10 }, (_, index) => index)
    for (const index of all) await begin(`s${index}`, token.id, NOW + 1_000 + index)
    const alive = async () => {
      const found = await Promise.all(all.map(index => store.findSession(`s${index}`)))
      return all.filter(index => found[index])
    }
    assert.deepEqual(await alive(), all.slice(-MAX_SESSIONS_PER_TOKEN))
    await Promise.all(all.map(index => begin(`t${index}`, token.id, NOW + 2_000)))
    assert.deepEqual(await alive(), [])
    const later = await Promise.all(all.map(index => store.findSession(`t${index}`)))
    assert.equal(later.filter(Boolean).length, MAX_SESSIONS_PER_TOKEN)
    assert.ok(await store.findSession('other'))
  })

  rule(
    'a sign-in link is found with the current state of its token, even if one of them is over',
    async (store, reopen) => {
      const { token } = await createToken(store, { role: 'staff', expiresAt: NOW + 100 })
      const hash = hashSecret('a link')
      const newEntry = entry('token.link', { details: { by: 'ada' } })
      await store.createSignInLink({ hash, tokenId: token.id, expiresAt: NOW - 1 }, newEntry)
      assert.deepEqual((await audit(store))[0], { ...newEntry, id: 2n, subjectId: token.id })
      await store.revokeToken(token.id, entry('token.revoke', { at: NOW + 3 }))
      for await (const kept of nowAndAfterwards(store, reopen)) {
        const revoked = { ...token, revokedAt: NOW + 3 }
        assert.deepEqual(await kept.findSignInLink(hash), { token: revoked, expiresAt: NOW - 1 })
        assert.equal(await kept.findSignInLink(hashSecret('unknown')), undefined)
        assert.equal(await kept.findSession(hash), undefined)
      }
    },
  )

  rule('when ten browsers use a sign-in link at once, one session starts, with one audit entry', async store => {
    const { token } = await createToken(store)
    await store.createSignInLink({ hash: 'link', tokenId: token.id, expiresAt: NOW + 1 }, entry('token.link'))
    await store.createSignInLink({ hash: 'other', tokenId: token.id, expiresAt: NOW + 1 }, entry('token.link'))
    const session = (index: number) => ({ hash: `session ${index}`, tokenId: token.id, expiresAt: NOW + 9 })
    const all = Array.from({ length: 10 }, (_, index) => index)
    const signIn = (index: number) => store.redeemSignInLink('link', session(index), entry('session.sign-in'))
    const outcomes = await Promise.all(all.map(signIn))
    assert.equal(outcomes.filter(Boolean).length, 1)
    const found = await Promise.all(all.map(index => store.findSession(`session ${index}`)))
    assert.deepEqual(found.map(Boolean), outcomes)
    assert.equal(await store.findSignInLink('link'), undefined)
    assert.ok(await store.findSignInLink('other'))
    const entries = await audit(store)
    assert.equal(entries.filter(({ action }) => action === 'session.sign-in').length, 1)
    assert.equal(await signIn(11), false)
  })

  rule('a sign-in link that has expired starts no session, and is forgotten', async store => {
    const { token } = await createToken(store)
    const ends = [NOW - 1, NOW, NOW + 1]
    for (const [index, expiresAt] of ends.entries()) {
      await store.createSignInLink({ hash: `link ${index}`, tokenId: token.id, expiresAt }, entry('token.link'))
    }
    const session = { hash: 'session', tokenId: token.id, expiresAt: NOW + 9 }
    assert.equal(await store.redeemSignInLink('link 1', session, entry('session.sign-in')), false)
    assert.equal(await store.findSession('session'), undefined)
    await store.deleteExpired(NOW, 0)
    const found = await Promise.all(ends.map((_, index) => store.findSignInLink(`link ${index}`)))
    assert.deepEqual(found.map(Boolean), [false, false, true])
  })

  rule('an audit entry can be recorded without a change', async store => {
    const newEntry = entry('sign-in.refused', { details: { failures: '3' } })
    await store.recordAudit(newEntry)
    assert.deepEqual(await audit(store), [{ ...newEntry, id: 1n, subjectId: undefined }])
  })

  rule('sessions that are over are forgotten, their tokens are kept', async store => {
    const { token } = await createToken(store)
    const ends = [NOW - 1, NOW, NOW + 1]
    for (const [index, expiresAt] of ends.entries()) {
      await store.createSession({ hash: `hash ${index}`, tokenId: token.id, expiresAt }, entry('session.sign-in'))
    }
    await store.deleteExpired(NOW, 0)
    const found = await Promise.all(ends.map((_, index) => store.findSession(`hash ${index}`)))
    assert.deepEqual(found, [undefined, undefined, { token, expiresAt: NOW + 1 }])
    assert.deepEqual(await store.listTokens(), [token])
  })
}
