import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Cleanup } from '../cleanup.ts'
import { eventually } from '../eventually.ts'
import { findProgram, NotPossible } from './needs.ts'
import { query } from './postgres.ts'
import { findServerProgram, makeServerFolder } from './private-server.ts'
import { openNetworks, type Place, type SeparateNetworks } from './separate-networks.ts'

// deploy/patroni: three PostgreSQL servers that Patroni watches, three etcd servers, and HAProxy. The committed files are used; only folders and
// passwords are replaced. Each PostgreSQL server has a network of its own, so that it can be cut off.

const DEPLOY = fileURLToPath(new URL('../../../deploy/patroni/', import.meta.url))
const BRIDGE = 'petstore'
/** The addresses in deploy/patroni, which are reserved for documentation (RFC 5737). */
const NETWORK = '198.51.100'
const ETCD = [21, 22, 23].map(last => `${NETWORK}.${last}`)
const BALANCER = `${NETWORK}.30`
const NEIGHBOUR = `${NETWORK}.31`
const PASSWORDS = ['SUPERUSER-PASSWORD', 'REPLICATION-PASSWORD', 'REWIND-PASSWORD']

/** One PostgreSQL server with its Patroni. */
export interface Member extends Place {
  /** Starts it again after it was killed. */
  start(): void
}

export interface PatroniCluster {
  /** Of the database `petstore`, at the balancer. */
  url: string
  networks: SeparateNetworks
  /** A place in the same network, with a balancer of its own that leads to the leader, and the URL there. */
  addNeighbour(name: string): { place: Place; url: string }
  /** Waits until all members run, one of them as leader, and one as its synchronous standby. Returns the leader. */
  whole(): Promise<Member>
  /** Makes another member the leader, as an operator does. */
  switchOver(): void
  /** Kills all of etcd. */
  killEtcd(): Promise<void>
  startEtcd(): void
}

/** Everything that deploy/patroni needs, in one machine. It ends with the test. @throws NotPossible */
export async function startPatroni(t: Cleanup): Promise<PatroniCluster> {
  for (const program of ['ip', 'setpriv', 'patroni', 'patronictl', 'etcd', 'haproxy']) {
    if (!findProgram(program)) throw new NotPossible(`${program} is not installed`)
  }
  const folder = makeServerFolder('patroni')
  chmodSync(folder, 0o711)
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
  const networks = openNetworks(t, BRIDGE, NETWORK, [...ETCD, BALANCER])

  let etcd = startEtcd(t, folder)
  const members = ['db1', 'db2', 'db3'].map((name, index) =>
    startMember(t, folder, networks, name, `${NETWORK}.${11 + index}`),
  )
  start(t, folder, 'haproxy', ['haproxy', '-db', '-f', join(DEPLOY, 'haproxy.cfg')])

  const whole = () => retry(async () => wholeCluster(members))
  await whole()
  await retry(() => query(urlAt(BALANCER, 'postgres'), 'CREATE DATABASE petstore'))
  return {
    url: urlAt(BALANCER, 'petstore'),
    networks,
    addNeighbour(name) {
      const place = networks.add(name, NEIGHBOUR)
      const file = join(folder, `${name}.cfg`)
      writeFileSync(file, replaced('haproxy.cfg', [[BALANCER, NEIGHBOUR]]))
      start(t, folder, name, [...place.prefix, 'haproxy', '-db', '-f', file])
      return { place, url: urlAt(NEIGHBOUR, 'petstore') }
    },
    whole,
    switchOver() {
      const args = ['-c', join(folder, 'db1.yml'), 'switchover', 'petstore', '--force']
      execFileSync('patronictl', args, { stdio: ['ignore', 'ignore', 'pipe'] })
    },
    async killEtcd() {
      await Promise.all(etcd.map(kill))
    },
    startEtcd() {
      etcd = startEtcd(t, folder)
    },
  }
}

function urlAt(address: string, database: string): string {
  return `postgres://postgres:${PASSWORDS[0]}@${address}:5432/${database}`
}

function startMember(t: Cleanup, folder: string, networks: SeparateNetworks, name: string, address: string): Member {
  const place = networks.add(name, address)
  // Of the user that PostgreSQL runs as.
  const home = makeServerFolder(name)
  t.after(() => rmSync(home, { recursive: true, force: true, maxRetries: 20 }))
  const file = join(folder, `${name}.yml`)
  writeFileSync(
    file,
    replaced('patroni.yml', [
      ['name: db1', `name: ${name}`],
      [`${NETWORK}.11`, address],
      ['/var/lib/postgresql/15/petstore', join(home, 'data')],
      ['/usr/lib/postgresql/15/bin', join(findServerProgram('pg_rewind') as string, '..')],
      ['/var/run/postgresql', home],
    ]),
  )
  chmodSync(file, 0o644)

  const member: Member = {
    ...place,
    start() {
      const user = ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups']
      start(t, folder, name, [...place.prefix, ...user, 'patroni', file], { HOME: home })
    },
  }
  member.start()
  return member
}

function startEtcd(t: Cleanup, folder: string): ChildProcess[] {
  return ETCD.map((address, index) => {
    const name = `etcd${index + 1}`
    const text = replaced('etcd.default', [['/var/lib/etcd/petstore', join(folder, name)]])
    const lines = text.split('\n').map(line => {
      if (line.startsWith('ETCD_INITIAL_CLUSTER=')) return line
      return line.replaceAll(ETCD[0] as string, address).replace('ETCD_NAME=etcd1', `ETCD_NAME=${name}`)
    })
    const env = Object.fromEntries(lines.filter(line => /^ETCD_/.test(line)).map(line => line.split(/=(.*)/s)))
    return start(t, folder, name, ['etcd'], env)
  })
}

interface State {
  members: { name: string; role: string; state: string; timeline?: number }[]
}

async function wholeCluster(members: readonly Member[]): Promise<Member> {
  const states = await Promise.all(
    members.map(async (_, index) => {
      const url = `http://${NETWORK}.${11 + index}:8008/cluster`
      return (await (await fetch(url, { signal: AbortSignal.timeout(1_000) })).json()) as State
    }),
  )
  const leaders = new Set<string | undefined>()
  for (const { members: seen } of states) {
    const words = seen
      .map(({ name, role, state, timeline }) => `${name}: ${role}, ${state}, timeline ${timeline}`)
      .join('; ')
    assert.equal(seen.filter(({ state }) => /^(running|streaming)$/.test(state)).length, members.length, words)
    // A former leader runs, too, while it is being rewound.
    assert.equal(new Set(seen.map(({ timeline }) => timeline)).size, 1, words)
    assert.ok(
      seen.some(({ role }) => role === 'sync_standby'),
      words,
    )
    leaders.add(seen.find(({ role }) => role === 'leader')?.name)
  }
  assert.equal(leaders.size, 1)
  const leader = members.find(({ name }) => leaders.has(name))
  assert.ok(leader)
  return leader
}

/** For three minutes: a former leader may need a new copy. */
async function retry<Value>(attempt: () => Promise<Value>): Promise<Value> {
  for (let left = 5; left > 0; left -= 1) {
    try {
      return await eventually(attempt, 250)
    } catch {
      // Half a minute more.
    }
  }
  return eventually(attempt, 250)
}

function replaced(name: string, exchanges: readonly [from: string, to: string][]): string {
  let text = readFileSync(join(DEPLOY, name), 'utf8')
  for (const [from, to] of exchanges) {
    assert.ok(text.includes(from), `in ${name}: ${from}`)
    text = text.replaceAll(from, to)
  }
  return text
}

function start(
  t: Cleanup,
  folder: string,
  name: string,
  [program = '', ...args]: readonly string[],
  variables: Record<string, string> = {},
): ChildProcess {
  const log = openSync(join(folder, `${name}.log`), 'a')
  const child = spawn(program, args, { env: { ...process.env, ...variables }, stdio: ['ignore', log, log] })
  closeSync(log)
  t.after(() => kill(child))
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
