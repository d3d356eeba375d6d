import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, closeSync, globSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pause } from '../../../src/sqlite/pause.ts'
import { findProgram } from './needs.ts'

/** A private database server of a test, which may be stopped, killed and restarted. */
export interface PrivateServer {
  port: number
  /** The process id of the server's main process, which changes with a restart. */
  readonly pid: number
  /** Restarts it on its data, after it was killed. */
  start(): Promise<void>
  /** Pauses (SIGSTOP), resumes (SIGCONT), or kills (SIGKILL, awaited) all its processes. */
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): Promise<void>
  /** Ends it, and deletes its data. */
  close(): Promise<void>
}

/** Fills a server's folder, with programs that run as the server's user. */
type Prepare = (folder: string, run: (program: string, ...args: string[]) => void) => void

interface Program {
  name: string
  /** Runs once before the first start. */
  prepare?: Prepare
  command(folder: string, port: number): [program: string, ...args: string[]]
  /** Whether it responds. */
  isReady(port: number): Promise<boolean>
}

const START_MS = 120_000
const END_MS = 10_000
const LOOK_EVERY_MS = 10

/** The servers of this process. They end with it however it ends, except with kill -9. */
const running = new Map<ChildProcess, () => void>()
process.on('exit', () => {
  for (const { pid } of running.keys()) {
    kill(familyOf(pid as number), 'SIGCONT')
    kill([pid as number], 'SIGQUIT')
  }
  for (const [{ pid }, clear] of running) {
    // While the server runs, it writes into its folder. A process that is exiting can only wait synchronously.
    const deadline = performance.now() + END_MS
    while (!hasEnded(pid as number) && performance.now() < deadline) {
      pause(LOOK_EVERY_MS)
    }
    clear()
  }
})

export async function startPrivateServer({ name, prepare, command, isReady }: Program): Promise<PrivateServer> {
  const folder = makeServerFolder(name, prepare)
  const user = unprivilegedUser()
  const port = await findFreePort()
  let child: ChildProcess
  let ended: Promise<unknown>
  // A pipe would keep the test's process alive for as long as the server runs.
  const log = join(folder, 'log')

  const clear = () => rmSync(folder, { recursive: true, force: true, maxRetries: 20 })

  async function start(): Promise<void> {
    const [program, ...args] = command(folder, port)
    const output = openSync(log, 'a')
    child = spawn(program, args, { ...user, cwd: folder, stdio: ['ignore', output, output] })
    closeSync(output)
    const own = child
    running.set(own, clear)
    ended = once(own, 'exit').finally(() => running.delete(own))
    own.unref()
    const deadline = performance.now() + START_MS
    while (!(await isReady(port))) {
      if (own.exitCode !== null || performance.now() > deadline)
        throw new Error(`${name} does not start: ${readFileSync(log, 'utf8')}`)
      await sleep(20)
    }
  }

  async function signal(which: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): Promise<void> {
    const family = familyOf(child.pid as number)
    kill(family, which)
    if (which !== 'SIGKILL') return
    child.ref()
    await ended
    // PostgreSQL does not restart while any of its processes is left.
    while (!family.slice(1).every(hasEnded)) await sleep(LOOK_EVERY_MS)
  }

  await start()
  return {
    port,
    get pid() {
      return child.pid as number
    },
    start,
    signal,
    async close() {
      if (child.exitCode === null && child.signalCode === null) {
        await signal('SIGCONT')
        // SIGINT: PostgreSQL ends without waiting for its clients.
        child.kill(name === 'postgres' ? 'SIGINT' : 'SIGTERM')
        child.ref()
        await ended
      }
      clear()
    },
  }
}

/** Creates a folder owned by the user that servers run as. */
export function makeServerFolder(name: string, prepare?: Prepare): string {
  const folder = mkdtempSync(join(tmpdir(), `petstore-${name}-`))
  const user = unprivilegedUser()
  if (user) chownSync(folder, user.uid, user.gid)
  prepare?.(folder, (program, ...args) => execFileSync(program, args, { ...user, stdio: ['ignore', 'ignore', 'pipe'] }))
  return folder
}

/** A free port outside the system's ephemeral range, so that it is still free after a restart of the server. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + (process.pid % BLOCKS) * BLOCK_PORTS + (portsLookedAt++ % BLOCK_PORTS)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
      server.close()
      await once(server, 'close')
      return port
    } catch {
      // It is taken, so try another one.
    }
  }
}

/**
 * Each process searches its own block of ports, one by one: a free port is not taken before it is used, neither by another test nor by a connection,
 * for which systems use higher ports.
 */
const FIRST_PORT = 20_000
const BLOCK_PORTS = 40
const BLOCKS = 300
/** Another process may have the same block. */
let portsLookedAt = randomInt(BLOCK_PORTS)

/** A program in PATH, or in the folder where Debian installs each version of it. */
export function findServerProgram(name: string): string | undefined {
  return findProgram(name) ?? globSync(`/usr/lib/postgresql/*/bin/${name}`).toSorted().at(-1)
}

interface User {
  uid: number
  gid: number
}

let unprivileged: User | undefined

/** PostgreSQL refuses to be run by root. */
function unprivilegedUser(): User | undefined {
  unprivileged ??= findUnprivilegedUser()
  return unprivileged
}

function findUnprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = ['-u', '-g'].map(flag => Number(execFileSync('id', [flag, name], { encoding: 'utf8' })))
      if (uid !== undefined && gid !== undefined) return { uid, gid }
    } catch {
      // There is no such user.
    }
  }
  return undefined
}

function kill(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended in the meantime.
    }
  }
}

/** Whether a process has ended, even if its exit status has not been read yet. */
function hasEnded(pid: number): boolean {
  try {
    return execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z')
  } catch {
    return true
  }
}

/** A process and all its children: a server with several processes is only paused if each of them is. */
function familyOf(pid: number): number[] {
  try {
    const children = execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
    return [pid, ...children.trim().split('\n').map(Number)]
  } catch {
    return [pid]
  }
}
