import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { descriptorsOf, memoryOf } from '../../bench/process-figures.ts'
import { freePort } from '../../bench/program.ts'
import { createAccount } from '../../src/domain/administration/accounts.ts'
import { issueKey } from '../../src/domain/administration/keys.ts'
import type { Limits } from '../../src/domain/plan.ts'
import { environment, makeStore, petstore, type TestStore } from '../support/command-line.ts'
import { temporaryFolder } from '../support/folder.ts'
import { LogErrors } from './log-errors.ts'
import type { Stage } from './scenario.ts'

const START_MS = 30_000
const STOP_MS = 20_000
const NO_LIMIT: Limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }

export interface ServiceOptions {
  /** Where the store is; by default, a new folder on the machine's disk. */
  folder?: string
  settings?: Record<string, string>
  /** Environment variables that are not settings of the service. */
  variables?: Record<string, string>
  /** A command that runs the program, such as prlimit. */
  under?: readonly string[]
  /** Command-line options for Node. */
  nodeOptions?: readonly string[]
}

/** `petstore serve` as a process that can be killed and restarted on the same ports and store. */
export class ServiceUnderTest {
  readonly port: number
  readonly operatorPort: number
  readonly store: TestStore
  /** A key of an account with practically unlimited calls. */
  readonly key: string
  readonly log: LogErrors
  readonly #program: string
  readonly #options: ServiceOptions
  #child: ChildProcess | undefined

  static async prepare({ t, program }: Stage, options: ServiceOptions = {}): Promise<ServiceUnderTest> {
    const settings = { PETSTORE_PORT: String(await freePort()), PETSTORE_OPERATOR_PORT: String(await freePort()) }
    const made = await makeStore(t, { ...settings, ...options.settings })
    const store = options.folder === undefined ? made : made.with({ PETSTORE_DATA: options.folder })
    const key = await store.act(async context => {
      const { id } = await createAccount(context, { name: 'endurance', plan: 'enterprise', limits: NO_LIMIT })
      return (await issueKey(context, { account: String(id) })).key
    })
    const log = new LogErrors(join(await temporaryFolder(t), 'log'))
    const service = new ServiceUnderTest(store, key, log, program, options)
    t.after(() => service.kill())
    return service
  }

  private constructor(store: TestStore, key: string, log: LogErrors, program: string, options: ServiceOptions) {
    this.store = store
    this.key = key
    this.log = log
    this.port = Number(store.env.PETSTORE_PORT)
    this.operatorPort = Number(store.env.PETSTORE_OPERATOR_PORT)
    this.#program = program
    this.#options = options
  }

  get folder(): string {
    return this.store.env.PETSTORE_DATA as string
  }

  get pid(): number {
    return this.#child?.pid as number
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Starts the process without waiting for it. */
  launch(): void {
    const { under = [], nodeOptions = [], variables = {} } = this.#options
    const command = [...under, process.execPath, ...nodeOptions, this.#program, 'serve']
    const log = openSync(this.log.file, 'a')
    const { NODE_COMPILE_CACHE } = process.env
    this.#child = spawn(command[0] as string, command.slice(1), {
      env: { ...environment(this.store.env), ...variables, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) },
      stdio: ['ignore', log, log],
    })
    closeSync(log)
  }

  /** Starts the process, and waits until it is ready. Returns how long that took, in milliseconds. */
  async start(): Promise<number> {
    const startedAt = performance.now()
    this.launch()
    await this.untilReady(START_MS)
    return performance.now() - startedAt
  }

  /** @throws Error if the process ends, or is not ready in time */
  async untilReady(withinMs: number): Promise<void> {
    const deadline = performance.now() + withinMs
    while (!(await this.isReady())) {
      if (!this.isRunning)
        throw new Error(
          `The service has ended (${this.#child?.exitCode} ${this.#child?.signalCode}): ${this.log.tail()}`,
        )
      if (performance.now() > deadline) throw new Error(`The service is not ready: ${this.log.tail()}`)
      await sleep(20)
    }
  }

  /** Whether `/readyz` answers with 200. */
  async isReady(): Promise<boolean> {
    const url = `http://127.0.0.1:${this.operatorPort}/readyz`
    const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined)
    await answer?.arrayBuffer()
    return answer?.status === 200
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Shuts down gracefully. Returns the exit code; null if the process had to be killed. */
  async stop(): Promise<number | null> {
    const forceKill = setTimeout(() => this.#child?.kill('SIGKILL'), STOP_MS)
    await this.#end('SIGTERM')
    clearTimeout(forceKill)
    return this.#child?.exitCode ?? null
  }

  /** Waits for the process to end on its own. Returns its exit code; undefined if it is still running. */
  async ending(withinMs: number): Promise<number | null | undefined> {
    const deadline = performance.now() + withinMs
    while (this.isRunning && performance.now() < deadline) await sleep(20)
    return this.isRunning ? undefined : (this.#child?.exitCode ?? null)
  }

  /** Runs a command on the store. */
  async command(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    return petstore(args, this.store.env)
  }

  /** Resident memory, in MB. */
  memory(): number {
    return memoryOf(this.pid)
  }

  /** Open files and sockets. */
  descriptors(): number {
    return descriptorsOf(this.pid)
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (!child || !this.isRunning) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
}
