import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseConfig } from '../../src/app/config.ts'
import { openStore } from '../../src/app/open-store.ts'
import { createAccount } from '../../src/domain/administration/accounts.ts'
import type { AdminContext } from '../../src/domain/administration/context.ts'
import { issueKey } from '../../src/domain/administration/keys.ts'
import { adminContext } from './admin-context.ts'
import { until } from './eventually.ts'
import { type Ending, runInTurn } from './shared-command-process.ts'

export type { Ending } from './shared-command-process.ts'

/** The program as an operator runs it, on its own stores. */

export const PROGRAM = fileURLToPath(new URL('../../bin/petstore.js', import.meta.url))

/**
 * Runs one command line to its end in its own process, with only these settings.
 * @param input on standard input
 */
export async function petstore(
  args: readonly string[],
  env: Record<string, string> = {},
  input?: string,
): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<Ending>()
  const child = execFile(
    process.execPath,
    [PROGRAM, ...args],
    { env: environment(env), timeout: 120_000 },
    (error, stdout, stderr) => {
      resolve({ code: error ? (typeof error.code === 'number' ? error.code : -1) : 0, stdout, stderr })
    },
  )
  if (input !== undefined) child.stdin?.end(input)
  return promise
}

/** The same in a process that the whole test file shares, for tests of the output and the effect but not of the process. */
export async function runCommand(args: readonly string[], env: Record<string, string> = {}): Promise<Ending> {
  const [ending] = await petstoreInTurn([args], env)
  return ending as Ending
}

/** The same for several command lines, one after another. */
export async function petstoreInTurn(
  commandLines: readonly (readonly string[])[],
  env: Record<string, string> = {},
): Promise<Ending[]> {
  return runInTurn(commandLines, environment(env))
}

export function environment(env: Record<string, string>): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(PETSTORE_|NODE_|SUDO_|SSH_|NO_COLOR$|FORCE_COLOR$)/.test(name),
  )
  // A file of the machine must not change the settings of a test.
  return { ...Object.fromEntries(inherited), PETSTORE_ENV_FILE: '', ...env }
}

export interface TestStore {
  folder: string
  env: Record<string, string>
  /** Runs a command line in the shared process. */
  run(...args: string[]): Promise<Ending>
  /** The output of a command, which must succeed. */
  text(...args: string[]): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: each test says by its assertions what it expects
  json(...args: string[]): Promise<any>
  runEach(commandLines: readonly (readonly string[])[]): Promise<Ending[]>
  /** The outputs of command lines, which must succeed. */
  textEach(commandLines: readonly (readonly string[])[]): Promise<string[]>
  // biome-ignore lint/suspicious/noExplicitAny: each test says by its assertions what it expects
  jsonEach(commandLines: readonly (readonly string[])[]): Promise<any[]>
  /** Creates an account "acme" and a key of it, without a command. */
  issueKey(): Promise<string>
  /** Works on the store without a command, as another operator. */
  act<Result>(work: (context: AdminContext) => Promise<Result>): Promise<Result>
  with(settings: Record<string, string>): TestStore
}

export async function makeStore(t: Cleanup, settings: Record<string, string> = {}): Promise<TestStore> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-test-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return openTestStore(folder, { ...settings, PETSTORE_DATA: folder })
}

function openTestStore(folder: string, env: Record<string, string>): TestStore {
  const run = (...args: string[]) => runCommand(args, env)
  const text = async (...args: string[]) => textOf(await run(...args), args)
  const runEach = (commandLines: readonly (readonly string[])[]) => petstoreInTurn(commandLines, env)
  const textEach = async (commandLines: readonly (readonly string[])[]) =>
    (await runEach(commandLines)).map((ending, index) => textOf(ending, commandLines[index]))
  async function act<Result>(work: (context: AdminContext) => Promise<Result>): Promise<Result> {
    const config = parseConfig(env)
    const store = await openStore(config)
    try {
      return await work(adminContext(store, Date.now(), config.deployment))
    } finally {
      await store.close()
    }
  }
  return {
    folder,
    env,
    run,
    text,
    json: async (...args) => JSON.parse(await text(...args, '--json')),
    runEach,
    textEach,
    jsonEach: async commandLines =>
      (await textEach(commandLines.map(args => [...args, '--json']))).map(printed => JSON.parse(printed)),
    async issueKey() {
      return act(async one => {
        await createAccount(one, { name: 'acme', plan: 'free', limits: {} })
        return (await issueKey(one, { account: 'acme' })).key
      })
    },
    act,
    with: settings => openTestStore(folder, { ...env, ...settings }),
  }
}

/** Standard error without the line that says that a command has created the store. */
export function withoutNewStore(stderr: string): string {
  return stderr.replace(/^There was no store in .*, so a new one was created\.\n/, '')
}

function textOf({ code, stdout, stderr }: Ending, args: readonly string[] = []): string {
  assert.deepEqual({ code, stderr: withoutNewStore(stderr) }, { code: 0, stderr: '' }, args.join(' '))
  return stdout
}

interface Cleanup {
  after(end: () => unknown): void
}

export interface Serving {
  url: string
  operatorUrl: string
  store: TestStore
  child: ChildProcess
  stdout: string
  stderr: string
  statusOf(key: string): Promise<number>
  codeOf(key: string): Promise<string | undefined>
  /** Sends a creation except for its last byte. */
  beginCreating(key: string): Promise<{ finish(): Promise<string> }>
  refusesConnections(): Promise<boolean>
  stop(signal: NodeJS.Signals): Promise<{ code: number | null; stderr: string }>
}

export interface ServeOptions {
  store?: TestStore
  demo?: boolean
  /** The program of another version. */
  program?: string
  /** The words of a command that runs the program, such as `ip netns exec NAME`. */
  under?: readonly string[]
  /** The folder in which it is started. */
  cwd?: string
}

/** Starts `petstore serve` on a free port, until the end of the test. */
export async function startServe(
  t: Cleanup,
  settings: Record<string, string> = {},
  { store, demo = false, program = PROGRAM, under = [], cwd }: ServeOptions = {},
): Promise<Serving> {
  const own = store ?? (await makeStore(t))
  const env = { PETSTORE_PORT: '0', PETSTORE_OPERATOR_PORT: '0', ...own.env, ...settings }
  const command = [...under, process.execPath, program, 'serve', ...(demo ? ['--demo'] : [])]
  const child = spawn(command[0] as string, command.slice(1), {
    env: environment(env),
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close') as Promise<[number | null]>
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const call = (key: string) => fetch(`${serving.url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })
  const serving: Serving = {
    url: '',
    operatorUrl: '',
    store: own,
    child,
    stdout: '',
    stderr: '',
    statusOf: async key => (await call(key)).status,
    codeOf: async key => ((await (await call(key)).json()) as { code?: string }).code,
    beginCreating: key => beginCreating(t, serving.url, key),
    refusesConnections: () => refusesConnections(serving.url),
    async stop(signal) {
      child.kill(signal)
      const [code] = await ended
      return { code, stderr: serving.stderr }
    },
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    serving.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    serving.stderr += text
  })
  await until(() => {
    assert.equal(child.exitCode, null, serving.stderr)
    const log = serving.stdout + serving.stderr
    serving.url = /\burl"?[:=]"?(http[^"\s]+)/.exec(log)?.[1] ?? ''
    serving.operatorUrl = /\boperatorUrl"?[:=]"?(http[^"\s]+)/.exec(log)?.[1] ?? ''
    return serving.url !== '' && (!demo || /curl .*\n/.test(serving.stdout))
  })
  return serving
}

async function beginCreating(t: Cleanup, url: string, key: string): Promise<{ finish(): Promise<string> }> {
  const { port, hostname, host } = new URL(url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  t.after(() => socket.destroy())
  let answer = ''
  socket.on('data', text => {
    answer += text
  })
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  const body = '{"name":"Rex","categoryId":1}'
  const head = [
    'POST /v1/pets HTTP/1.1',
    `Host: ${host}`,
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  // The service requests the body: it has started the call.
  await until(() => answer.startsWith('HTTP/1.1 100 '))
  answer = ''
  socket.write(body.slice(0, -1))
  return {
    async finish() {
      socket.write(body.slice(-1))
      await until(() => answer !== '')
      await closed
      return answer.trimStart()
    },
  }
}

async function refusesConnections(url: string): Promise<boolean> {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname)
  try {
    await once(socket, 'connect')
    return false
  } catch {
    return true
  } finally {
    socket.destroy()
  }
}

export function assertUserError(ending: Ending | undefined, message: RegExp, exitCode = 1): void {
  assert.ok(ending)
  const { code, stdout, stderr } = ending
  assert.deepEqual({ code, stdout }, { code: exitCode, stdout: '' }, stderr)
  assert.match(stderr, /^error: [^\n]+\n$/)
  assert.match(stderr.trimEnd(), message)
}

/** Asserts that the command line itself was invalid, whatever is in the store. */
export function assertUsageError(ending: Ending | undefined, message: RegExp): void {
  assertUserError(ending, message, 2)
}

/** Asserts that a text is an ISO time less than a minute from `time`. */
export function assertTime(text: string, time: number, message = text): void {
  assert.equal(new Date(text).toISOString(), text)
  assert.ok(Math.abs(Date.parse(text) - time) < 60_000, message)
}

export function withoutKey({ key: _, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return rest
}
