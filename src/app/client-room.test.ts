import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClientRoom, type Share } from './client-room.ts'

/** Longer than a client has to show its speed. */
const LONG_MS = 10_000

function openRoom(maxBytes: number, maxClients = 100) {
  const time = { now: 0 }
  return { time, room: new ClientRoom({ maxBytes, maxClients, clock: () => time.now }) }
}

function share(room: ClientRoom, bytes: number, moved: number): Share {
  const opened = room.open()
  opened.moved = moved
  opened.grow(bytes)
  return opened
}

const lost = (...shares: Share[]) => shares.map(({ signal }) => signal.aborted)

test('the slowest client loses its share when the room is used up, and no other', () => {
  const { room, time } = openRoom(300)
  const [fast, slow, faster] = [share(room, 100, 50), share(room, 100, 10), share(room, 100, 90)]
  time.now += LONG_MS
  assert.deepEqual(lost(fast, slow, faster), [false, false, false])
  const next = share(room, 100, 0)
  assert.deepEqual(lost(fast, slow, faster, next), [false, true, false, false])
  assert.match(slow.signal.reason.message, /its connection was the slowest/)
})

test('a client that has only just come is not called slow, but one that stays slow is', () => {
  const { room, time } = openRoom(100)
  const old = share(room, 60, 60)
  time.now += LONG_MS
  const young = share(room, 60, 0)
  assert.deepEqual(lost(old, young), [true, false])
  time.now += LONG_MS
  const next = share(room, 60, 0)
  assert.deepEqual(lost(young, next), [true, false])
})

test('a client is judged by its bytes per second, not by all that it has moved', () => {
  const { room, time } = openRoom(100)
  const old = share(room, 40, 40)
  time.now += 10 * LONG_MS
  const young = share(room, 40, 20)
  time.now += LONG_MS
  const next = share(room, 40, 0)
  assert.deepEqual(lost(old, young, next), [true, false, false])
})

test('as many lose their shares as are needed, also to one that grows', () => {
  const { room, time } = openRoom(100)
  const small = [share(room, 30, 0), share(room, 30, 0), share(room, 30, 0)]
  time.now += LONG_MS
  const large = share(room, 5, 5)
  assert.deepEqual(lost(...small), [false, false, false])
  large.grow(60)
  assert.deepEqual(lost(...small, large), [true, true, false, false])
})

test('a file that is alone has all the room that it needs', () => {
  const { room, time } = openRoom(100)
  const alone = share(room, 50, 0)
  time.now += LONG_MS
  alone.grow(1_000_000)
  assert.deepEqual(lost(alone), [false])
})

test('what waits for no client is not lost, and gives its room back at the end', () => {
  const { room, time } = openRoom(100)
  const arrived = share(room, 90, 90)
  arrived.isWaiting = false
  time.now += LONG_MS
  const sender = share(room, 20, 20)
  assert.deepEqual(lost(arrived, sender), [false, true])
  arrived[Symbol.dispose]()
  assert.deepEqual(lost(share(room, 50, 0), share(room, 50, 0)), [false, false])
})

test('one client too many ends the slowest, however small its file is', () => {
  const { room, time } = openRoom(1_000, 2)
  const [one, other] = [share(room, 1, 1), share(room, 1, 0)]
  time.now += LONG_MS
  const next = room.open()
  assert.deepEqual(lost(one, other, next), [false, true, false])
})
