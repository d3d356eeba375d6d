import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { NotPrimary, Primary, type ServerState } from './primary.ts'
import type { Server } from './servers.ts'

// The rules alone. Real servers are in failover.servers.test.ts.

const A: Server = { host: 'a', port: 1 }
const B: Server = { host: 'b', port: 2 }
const PRIMARY: ServerState = { isStandby: false, isReadOnly: false, timeline: 1, systemId: 'x', startedAt: '1' }
const STANDBY: ServerState = { ...PRIMARY, isStandby: true, isReadOnly: true, timeline: null }
const CONNECT_MS = 1_000

test('of two primaries the one with the higher timeline is chosen, even if the other responds first', async () => {
  const { primary, states } = makePrimary({ a: PRIMARY, b: { ...PRIMARY, timeline: 2 } }, { b: 50 })
  assert.equal(await primary.find(CONNECT_MS), B)
  states.b = STANDBY
  primary.doubt(B)
  await assert.rejects(
    primary.find(CONNECT_MS),
    /^Error: none of its servers is a primary \(a:1 is a former primary \(timeline 1; the primary has had 2\); b:2 is a standby\)$/,
  )
})

test('a primary is remembered until it is doubted, and a search without a result is not repeated at once', async () => {
  const { primary, states, asked } = makePrimary({ a: STANDBY, b: PRIMARY })
  for (let call = 0; call < 3; call += 1) assert.equal(await primary.find(CONNECT_MS), B)
  assert.equal(asked(), 2)
  primary.doubt(A)
  assert.equal(await primary.find(CONNECT_MS), B)
  assert.equal(asked(), 2)
  states.b = STANDBY
  primary.doubt(B)
  for (let call = 0; call < 3; call += 1) await assert.rejects(primary.find(CONNECT_MS))
  assert.equal(asked(), 4)
  states.a = { ...PRIMARY, timeline: 2 }
  await sleep(150)
  assert.equal(await primary.find(CONNECT_MS), A)
})

test('a higher timeline cuts the connections to lower ones, and a lower one is refused', async () => {
  const { primary } = makePrimary({ a: PRIMARY, b: STANDBY })
  const [old, ended, next] = [makeMember(), makeMember(), makeMember()]
  primary.admit(old, A, PRIMARY)
  primary.admit(ended, A, PRIMARY)
  primary.remove(ended)
  primary.admit(next, B, { ...PRIMARY, timeline: 2 })
  assert.deepEqual([old.isCut, ended.isCut, next.isCut], [true, false, false])
  assert.throws(() => primary.admit(makeMember(), A, PRIMARY), NotPrimary)
  assert.throws(() => primary.admit(makeMember(), B, { ...STANDBY, timeline: null }), /b:2 is a standby/)
  assert.throws(() => primary.admit(makeMember(), B, { ...PRIMARY, timeline: 3, systemId: 'y' }), /is not a copy/)
  primary.leave(B)
  assert.ok(next.isCut)
})

test('a higher timeline that is shown only after the search is over still counts', async () => {
  const { promise: isShown, resolve: show } = Promise.withResolvers<void>()
  const { primary, states, waitFor } = makePrimary({ a: PRIMARY, b: STANDBY })
  assert.equal(await primary.find(CONNECT_MS), A)
  const member = makeMember()
  primary.admit(member, A, PRIMARY)
  states.b = { ...PRIMARY, timeline: 2 }
  waitFor.b = isShown
  primary.doubt(A)
  assert.equal(await primary.find(CONNECT_MS), A, 'the other server has not responded')
  assert.ok(!member.isCut)
  show()
  await turn()
  assert.ok(member.isCut, 'its server is a former primary')
  assert.throws(() => primary.admit(makeMember(), A, PRIMARY), /a:1 is a former primary/)
  assert.equal(await primary.find(CONNECT_MS), B)
})

test('a late response with a lower timeline than the chosen server changes nothing', async () => {
  const { promise: isShown, resolve: show } = Promise.withResolvers<void>()
  const { primary, waitFor, asked } = makePrimary({ a: { ...PRIMARY, timeline: 2 }, b: PRIMARY })
  waitFor.b = isShown
  assert.equal(await primary.find(CONNECT_MS), A)
  const member = makeMember()
  primary.admit(member, A, { ...PRIMARY, timeline: 2 })
  show()
  await turn()
  assert.ok(!member.isCut)
  assert.equal(await primary.find(CONNECT_MS), A)
  assert.equal(asked(), 2, 'nothing is asked again')
})

test('after a refused write, all connections to the server are cut, unless a read-only primary was asked for', async () => {
  for (const attributes of ['read-write', 'primary'] as const) {
    const { primary, asked } = makePrimary({ a: PRIMARY, b: STANDBY }, {}, attributes)
    const server = await primary.find(CONNECT_MS)
    // A URL with one host has no list, so that each connection has an object of its own.
    const [one, other] = [makeMember(), makeMember()]
    primary.admit(one, { ...A }, PRIMARY)
    primary.admit(other, { ...A, port: 2 }, PRIMARY)
    primary.leave({ ...A })
    assert.deepEqual([one.isCut, other.isCut], [attributes === 'read-write', false])
    assert.equal(await primary.find(CONNECT_MS), server)
    assert.equal(asked(), 4, 'all servers were asked again')
  }
})

test('a read-only primary is used if only a primary was asked for', async () => {
  const readOnly = { ...PRIMARY, isReadOnly: true }
  assert.equal(await makePrimary({ a: STANDBY, b: readOnly }, {}, 'primary').primary.find(CONNECT_MS), B)
  await assert.rejects(makePrimary({ a: STANDBY, b: readOnly }).primary.find(CONNECT_MS), /b:2 is read-only/)
})

test('two primaries at the same time are both refused, unless the list has one server twice', async () => {
  for (const other of [
    { ...PRIMARY, systemId: 'y' },
    { ...PRIMARY, startedAt: '2' },
  ]) {
    const { primary } = makePrimary({ a: PRIMARY, b: other })
    await assert.rejects(primary.find(CONNECT_MS), /a:1 and b:2 are both primaries; stop the wrong one/)
  }
  assert.equal(await makePrimary({ a: PRIMARY, b: PRIMARY }).primary.find(CONNECT_MS), A)
})

function makePrimary(
  states: Record<string, ServerState>,
  delaysMs: Record<string, number> = {},
  attributes: 'read-write' | 'primary' = 'read-write',
) {
  let asked = 0
  const waitFor: Record<string, Promise<void>> = {}
  const primary = new Primary([A, B], attributes, async ({ host }) => {
    asked += 1
    await sleep(delaysMs[host] ?? 0)
    await waitFor[host]
    return states[host] as ServerState
  })
  return { primary, states, waitFor, asked: () => asked }
}

function makeMember() {
  const member = {
    isCut: false,
    cut() {
      member.isCut = true
    },
  }
  return member
}
