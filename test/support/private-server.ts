import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, closeSync, globSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProgram } from './needs.ts'

/** A database server that a test has for itself: it may be stopped, killed and started again. */
export interface PrivateServer {
  port: number
  /** Of the server's main process; another one after a restart. */
  readonly pid: number
  /** Starts it again on what it had kept, after it was killed. */
  start(): Promise<void>
  /** Stands still (SIGSTOP), goes on (SIGCONT), or ends (SIGKILL, awaited). */
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): Promise<void>
  /** Ends it, with all that it kept. */
  close(): Promise<void>
}

interface Program {
  name: string
  /** What must be run once before the first start. */
  prepare?(folder: string, run: (program: string, ...args: string[]) => void): void
  command(folder: string, port: number): [program: string, ...args: string[]]
  /** Whether it can be spoken to. */
  isReady(port: number): Promise<boolean>
}

const START_MS = 30_000

/** Servers of this process, ended with it however it ends, short of kill -9. */
const running = new Map<ChildProcess, () => void>()
process.on('exit', () => {
  for (const [child, clear] of running) {
    child.kill('SIGQUIT')
    clear()
  }
})

export async function startPrivateServer({ name, prepare, command, isReady }: Program): Promise<PrivateServer> {
  const folder = mkdtempSync(join(tmpdir(), `petstore-${name}-`))
  const user = unprivilegedUser()
  if (user) chownSync(folder, user.uid, user.gid)
  prepare?.(folder, (program, ...args) => execFileSync(program, args, { ...user, stdio: ['ignore', 'ignore', 'pipe'] }))
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
    for (const pid of which === 'SIGKILL' ? [child.pid as number] : familyOf(child.pid as number)) {
      process.kill(pid, which)
    }
    if (which === 'SIGKILL') await ended
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
        await ended
      }
      clear()
    },
  }
}

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** A program on the path, or in the folder in which Debian keeps each version of it. */
export function findServerProgram(name: string): string | undefined {
  return findProgram(name) ?? globSync(`/usr/lib/postgresql/*/bin/${name}`).toSorted().at(-1)
}

/** PostgreSQL refuses to be run by root. */
function unprivilegedUser(): { uid: number; gid: number } | undefined {
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

/** A process and all its children: a server of several processes stands still only if each of them does. */
function familyOf(pid: number): number[] {
  try {
    const children = execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
    return [pid, ...children.trim().split('\n').map(Number)]
  } catch {
    return [pid]
  }
}
