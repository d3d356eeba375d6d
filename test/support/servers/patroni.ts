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

// deploy/patroni: three PostgreSQL servers that Patroni watches, three etcd servers, and HAProxy. The committed files are used; only folders and
// passwords are replaced. Each PostgreSQL server has a network of its own, so that it can be cut off.

const DEPLOY = fileURLToPath(new URL('../../../deploy/patroni/', import.meta.url))
const BRIDGE = 'petstore-db'
/** The addresses in deploy/patroni, which are reserved for documentation (RFC 5737). */
const NETWORK = '198.51.100'
const ETCD = [21, 22, 23].map(last => `${NETWORK}.${last}`)
const BALANCER = `${NETWORK}.30`
const PASSWORDS = ['SUPERUSER-PASSWORD', 'REPLICATION-PASSWORD', 'REWIND-PASSWORD']

/** One PostgreSQL server with its Patroni. */
export interface Member {
  name: string
  /** Kills, pauses or resumes all its processes. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
  /** Starts it again after it was killed. */
  start(): void
  /** Cuts its network, or repairs it. Nothing closes its connections. */
  setLink(state: 'up' | 'down'): void
}

export interface PatroniCluster {
  /** Of the database `petstore`, at the balancer. */
  url: string
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
  if (process.getuid?.() !== 0) throw new NotPossible('networks can only be created by root')
  const folder = makeServerFolder('patroni')
  chmodSync(folder, 0o711)
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
  openBridge(t)

  let etcd = startEtcd(t, folder)
  const members = ['db1', 'db2', 'db3'].map((name, index) => startMember(t, folder, name, `${NETWORK}.${11 + index}`))
  start(t, folder, 'haproxy', ['-db', '-f', join(DEPLOY, 'haproxy.cfg')])

  const whole = () => retry(async () => wholeCluster(members))
  await whole()
  const superuser = `postgres://postgres:${PASSWORDS[0]}@${BALANCER}:5432`
  await retry(() => query(`${superuser}/postgres`, 'CREATE DATABASE petstore'))
  return {
    url: `${superuser}/petstore`,
    whole,
    switchOver: () => run('patronictl', '-c', join(folder, 'db1.yml'), 'switchover', 'petstore', '--force'),
    async killEtcd() {
      await Promise.all(etcd.map(kill))
    },
    startEtcd() {
      etcd = startEtcd(t, folder)
    },
  }
}

function openBridge(t: Cleanup): void {
  const routes = execFileSync('ip', ['route', 'show', 'table', 'all', 'to', 'root', `${NETWORK}.0/24`], {
    encoding: 'utf8',
  })
  if (routes !== '') throw new NotPossible(`${NETWORK}.0/24 is in use`)
  run('ip', 'link', 'add', BRIDGE, 'type', 'bridge')
  t.after(() => run('ip', 'link', 'del', BRIDGE))
  for (const address of [...ETCD, BALANCER]) run('ip', 'address', 'add', `${address}/24`, 'dev', BRIDGE)
  run('ip', 'link', 'set', BRIDGE, 'up')
}

function startMember(t: Cleanup, folder: string, name: string, address: string): Member {
  const network = `petstore-${name}`
  const outside = `petstore-${name}`
  run('ip', 'netns', 'add', network)
  t.after(() => run('ip', 'netns', 'del', network))
  run('ip', 'link', 'add', outside, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', network)
  // A network that is deleted may keep its link for some seconds.
  t.after(() => run('ip', 'link', 'del', outside))
  run('ip', 'link', 'set', outside, 'master', BRIDGE, 'up')
  run('ip', '-n', network, 'address', 'add', `${address}/24`, 'dev', 'eth0')
  for (const device of ['eth0', 'lo']) run('ip', '-n', network, 'link', 'set', device, 'up')

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

  function signal(which: NodeJS.Signals): void {
    const pids = execFileSync('ip', ['netns', 'pids', network], { encoding: 'utf8' }).split('\n').filter(Boolean)
    for (const pid of pids) {
      try {
        process.kill(Number(pid), which)
      } catch {
        // It has ended in the meantime.
      }
    }
  }
  const member: Member = {
    name,
    signal,
    start() {
      const user = ['--reuid=postgres', '--regid=postgres', '--init-groups']
      start(t, folder, 'ip', ['netns', 'exec', network, 'setpriv', ...user, 'patroni', file], name, { HOME: home })
    },
    setLink: state => run('ip', 'link', 'set', outside, state),
  }
  t.after(() =>
    eventually(() => {
      signal('SIGKILL')
      assert.equal(execFileSync('ip', ['netns', 'pids', network], { encoding: 'utf8' }), '')
    }),
  )
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
    return start(t, folder, 'etcd', [], name, env)
  })
}

interface State {
  members: { name: string; role: string; state: string }[]
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
    assert.equal(seen.filter(({ state }) => /^(running|streaming)$/.test(state)).length, members.length)
    assert.ok(seen.some(({ role }) => role === 'sync_standby'))
    leaders.add(seen.find(({ role }) => role === 'leader')?.name)
  }
  assert.equal(leaders.size, 1)
  const leader = members.find(({ name }) => leaders.has(name))
  assert.ok(leader)
  return leader
}

/** For a minute and a half: a former leader may need a new copy. */
async function retry<Value>(attempt: () => Promise<Value>): Promise<Value> {
  for (let left = 2; left > 0; left -= 1) {
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
  program: string,
  args: readonly string[],
  name = program,
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

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
}
