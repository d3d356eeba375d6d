import assert from 'node:assert/strict'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { issueKeyWithoutLimit } from '../changes.ts'
import { type Cleanup, inReverse } from '../cleanup.ts'
import { type Serving, startServe } from '../command-line.ts'
import { until } from '../eventually.ts'
import { petJson } from '../pets.ts'
import { BALANCER_ADDRESS, openBalancer } from './balancer.ts'
import { makeSharedStore } from './instances.ts'
import { findFreePort } from './private-server.ts'

/** Clients that keep their connection, several per instance, and clients that open a new one for each call. */
const CLIENTS = { kept: 12, fresh: 6 }
/** Together they make 90 calls a second. */
const CALL_EVERY_MS = 200

/** Long enough for the balancer to check each instance, and for each client to receive a request to close. */
const STOP_DELAY_SECONDS = 5

type Method = 'GET' | 'POST'

/** Three instances of a program on one store behind HAProxy, under steady load. All of it ends with the test. */
export async function startUnderLoad(t: Cleanup, program: string) {
  const end = inReverse(t)
  const store = await makeSharedStore(end, {
    PETSTORE_PROXY_PROTOCOL: 'on',
    PETSTORE_TRUSTED_PROXIES: BALANCER_ADDRESS,
    PETSTORE_STOP_DELAY: String(STOP_DELAY_SECONDS),
  })
  const places = await Promise.all(
    [1, 2, 3].map(async () => ({ port: await findFreePort(), operatorPort: await findFreePort() })),
  )
  const start = ({ port, operatorPort }: (typeof places)[number], program: string) => {
    const settings = { PETSTORE_PORT: String(port), PETSTORE_OPERATOR_PORT: String(operatorPort) }
    return startServe(end, settings, { store, program })
  }
  const instances = await Promise.all(places.map(place => start(place, program)))
  const key = await issueKeyWithoutLimit(store)
  const balancer = await openBalancer()
  end.after(() => balancer.close())
  balancer.start(places)
  const load = startLoad(balancer.port, key)
  end.after(() => load.stop())
  await until(() => instances.every(({ stdout }) => isServing(stdout)))
  return {
    ...load,
    key,
    port: balancer.port,
    /**
     * Replaces each instance in turn with one of this program.
     * @returns for each, how many calls were answered while it stopped, and while the new one started
     */
    async replaceAll(program: string) {
      const answered: { stopping: number; starting: number }[] = []
      for (const [index, place] of places.entries()) {
        const before = load.answered()
        assert.deepEqual(await (instances[index] as Serving).stop('SIGTERM'), { code: 0, stderr: '' })
        const during = load.answered()
        const replacement = await start(place, program)
        await until(() => isServing(replacement.stdout))
        instances[index] = replacement
        answered.push({ stopping: during - before, starting: load.answered() - during })
      }
      return answered
    },
  }
}

/** Calls from many concurrent clients, each at a steady rate, alternately reading and creating. */
function startLoad(port: number, key: string) {
  const statuses: Record<string, number> = {}
  const failures: string[] = []
  const agents: Agent[] = []
  let isOver = false

  async function call(method: Method, agent: Agent | false): Promise<void> {
    const { status, text } = await callBalancer(port, key, method, agent)
    const outcome = `${method} ${status}`
    statuses[outcome] = (statuses[outcome] ?? 0) + 1
    if (status >= 400) failures.push(`${outcome} ${text}`)
  }

  async function client(index: number, agent: Agent | false): Promise<void> {
    await sleep(Math.random() * CALL_EVERY_MS)
    for (let calls = index; !isOver; calls += 1) {
      const nextAt = performance.now() + CALL_EVERY_MS
      await call(calls % 2 === 0 ? 'GET' : 'POST', agent).catch(error => failures.push(String(error)))
      await sleep(Math.max(0, nextAt - performance.now()))
    }
  }

  const kept = Array.from({ length: CLIENTS.kept }, (_, index) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    agents.push(agent)
    return client(index, agent)
  })
  const fresh = Array.from({ length: CLIENTS.fresh }, (_, index) => client(index, false))
  return {
    statuses,
    failures,
    answered: () => Object.values(statuses).reduce((sum, count) => sum + count, 0),
    async stop() {
      isOver = true
      await Promise.all([...kept, ...fresh])
      for (const agent of agents) agent.destroy()
    },
  }
}

/** Without an agent, the call has its own connection. */
export async function callBalancer(port: number, key: string, method: Method, agent: Agent | false) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const headers = {
    authorization: `Bearer ${key}`,
    ...(method === 'POST' && { 'content-type': 'application/json' }),
    ...(agent === false && { connection: 'close' }),
  }
  const sent = request({ port, host: '127.0.0.1', path: '/v1/pets?limit=5', method, headers, agent }, resolve)
  sent.on('error', reject)
  sent.end(method === 'POST' ? petJson() : undefined)
  const answer = await promise
  const body = await text(answer)
  return { status: answer.statusCode ?? 0, text: body, id: (JSON.parse(body) as { id?: number }).id }
}

/** Whether a log shows that the balancer forwards calls to the instance. */
function isServing(log: string): boolean {
  return /"status":20[01]\b/.test(log)
}
