import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connect, formatRequest } from './support/call.ts'
import { readRate } from './support/rate.ts'
import type { Answer } from './support/raw.ts'
import { startTestService } from './support/service.ts'

const CONNECTIONS = 60

const service = await startTestService({ after }, { embedded: { inThreads: true } })

test('of 1,200 parallel calls of a business account exactly 1,000 are admitted, each Remaining value once', async () => {
  const { account, key } = await service.createCaller({ plan: 'business' })
  const keys = [key, (await service.issueKey(account)).key]
  const answers = await callTogether(keys, 1_200)

  const admitted = answers.filter(isAdmitted).map(answer => readRate(answer).remaining)
  assert.equal(admitted.length, 1_000)
  assert.deepEqual(
    admitted.toSorted((one, other) => one - other),
    Array.from({ length: 1_000 }, (_, remaining) => remaining),
  )
  const refused = answers.filter(answer => !isAdmitted(answer))
  assert.equal(refused.length, 200)
  for (const answer of refused) {
    assert.equal(answer.json.code, 'rate_limit_exceeded')
    assert.equal(readRate(answer).remaining, 0)
    assert.equal(readRate(answer).windows.day?.remaining, 99_000, 'a refused call costs the day nothing')
  }
  assert.equal(new Set(answers.map(answer => readRate(answer).reset)).size, 1, 'the window does not move')
})

test('parallel calls of several accounts are counted separately', async () => {
  const callers = await Promise.all(
    Array.from({ length: 10 }, () => service.createCaller({ limits: { perMinute: 20, perDay: 30 } })),
  )
  const answers = await callTogether(
    callers.map(caller => caller.key),
    300,
  )
  assert.equal(admittedOf(answers), 200)
})

test('if the day has fewer calls left than the minute, exactly that many parallel calls are admitted', async () => {
  const { key } = await service.createCaller({ limits: { perMinute: 100, perDay: 150 } })
  assert.equal(admittedOf(await callTogether([key], 120)), 100)
  service.clock.advanceSeconds(60)
  assert.equal(admittedOf(await callTogether([key], 120)), 50)
  service.clock.advanceSeconds(60)
  assert.equal(admittedOf(await callTogether([key], 20)), 0)
})

test('parallel creations all succeed, each with its own id', async () => {
  const { key } = await service.createCaller()
  const answers = await callTogether([key], 300, '{"name":"Rex","categoryId":1}')
  assert.deepEqual(
    answers.map(answer => answer.json.id).toSorted((one, other) => one - other),
    Array.from({ length: 300 }, (_, index) => index + 1),
  )
})

/** Sends these calls over many connections at once, the keys in turn; with a body they are creations. */
async function callTogether(keys: readonly string[], calls: number, body?: string) {
  const method = body === undefined ? 'GET' : 'POST'
  // A path that is none costs a call like any other, and needs nothing of the store.
  const path = body === undefined ? '/v1/nothing' : '/v1/pets'
  const requests = Array.from({ length: calls }, (_, index) =>
    formatRequest(service, { method, path, key: keys[index % keys.length], body }),
  )
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => connect(service)))
  const answers = await Promise.all(
    connections.map(async (connection, lane) => {
      const own = requests.filter((_, index) => index % CONNECTIONS === lane)
      connection.write(Buffer.concat(own))
      const answers = []
      for (const _ of own) answers.push(await connection.answer(method))
      return answers
    }),
  )
  for (const connection of connections) connection.destroy()
  return answers.flat()
}

function admittedOf(answers: Awaited<ReturnType<typeof callTogether>>): number {
  return answers.filter(isAdmitted).length
}

function isAdmitted({ status, text }: Answer): boolean {
  assert.ok(status === 404 || status === 429, text)
  return status === 404
}
