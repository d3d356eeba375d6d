import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onCore, SERVER_CORE } from './cores.ts'
import { cpuSeconds } from './process-figures.ts'

/** A server in a separate process, on its own core. */
export interface Program extends AsyncDisposable {
  /** Such as http://127.0.0.1:41234. */
  url: string
  /** From the start of the process to its first answer. */
  startMs: number
  pid: number
  cpuSeconds(): number
}

interface Start {
  /** The program and its arguments. */
  command: readonly string[]
  env: Readonly<Record<string, string>>
  /** Where the log file is created. */
  folder: string
  /** The key of the first call, if it has one. */
  key?: string | undefined
  /** A command that runs the program, such as strace. */
  under?: readonly string[] | undefined
}

const START_TIMEOUT_MS = 20_000
const STOP_TIMEOUT_MS = 15_000

/** Starts the service as an operator would, with default settings except for `settings`. Its log goes to a file. */
export async function startPetstore(
  { program = file('../bin/petstore.js'), ...start }: Omit<Start, 'command' | 'env'> & { program?: string },
  settings: Readonly<Record<string, string>> = {},
): Promise<Program> {
  const port = await freePort()
  const env = { PETSTORE_PORT: String(port), PETSTORE_OPERATOR_PORT: '0', PETSTORE_DATA: start.folder, ...settings }
  return startProgram({ ...start, command: [process.execPath, program, 'serve'], env }, port)
}

/** Starts a bare `node:http` server that replays the answers recorded in `answersFile`. */
export async function startBareServer(folder: string, answersFile: string, headers: 'fresh' | 'constant') {
  const port = await freePort()
  const command = [process.execPath, file('bare-server.ts'), answersFile, headers, String(port)]
  return startProgram({ command, env: {}, folder }, port)
}

/** Starts any server that answers `GET /v1/pets` on the port. */
export async function startProgram({ command, env, folder, key, under = [] }: Start, port: number): Promise<Program> {
  const url = `http://127.0.0.1:${port}`
  const logFile = join(folder, `${port}.log`)
  const log = openSync(logFile, 'w')
  const [program, ...args] = onCore(SERVER_CORE, [...under, ...command]) as [string, ...string[]]
  const startedAt = performance.now()
  const child = spawn(program, args, { env: { ...cleanEnvironment(), ...env }, stdio: ['ignore', log, log] })
  closeSync(log)
  const pid = child.pid as number
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const forceKill = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await ended
    clearTimeout(forceKill)
  }
  const deadline = startedAt + START_TIMEOUT_MS
  while (!(await answers(`${url}/v1/pets`, key))) {
    if (child.exitCode === null && performance.now() < deadline) {
      await sleep(1)
    } else {
      await stop()
      throw new Error(`The server did not start:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`)
    }
  }
  const startMs = performance.now() - startedAt
  return { url, startMs, pid, cpuSeconds: () => cpuSeconds(pid), [Symbol.asyncDispose]: stop }
}

/** Whether the server answers with 200, or with 401 if there is no key. */
async function answers(url: string, key: string | undefined): Promise<boolean> {
  const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` }
  return new Promise(resolve => {
    get(url, { agent: false, headers }, response => {
      response.resume().on('end', () => resolve([200, 401].includes(response.statusCode as number)))
    }).on('error', () => resolve(false))
  })
}

/** The environment, without settings that would change the measurement. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:PETSTORE_|NODE_)/.test(name)))
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function file(name: string): string {
  return new URL(name, import.meta.url).pathname
}
