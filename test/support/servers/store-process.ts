import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import type { Caller } from '../../../src/domain/account.ts'
import type { CallerIds, Revision } from '../../../src/domain/store/revision.ts'
import { PostgresStore } from '../../../src/postgres/store.ts'

/** An instance in a separate process, which may be stopped and killed. */
export interface StoreProcess {
  /** Its current state. */
  revision(): Promise<Revision>
  findCaller(hash: string): Promise<Caller | undefined>
  /** Whether a caller that it found before has not changed since. */
  keeps(caller: CallerIds): Promise<boolean>
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): Promise<void>
}

/** Opens a store in a separate process. It ends with the test. */
export async function startStoreProcess(
  t: TestContext,
  url: string,
  instances: 'single' | 'many',
): Promise<StoreProcess> {
  const child = fork(import.meta.filename, [url, instances], { serialization: 'advanced' })
  t.after(() => child.kill('SIGKILL'))
  // While it is stopped, many questions wait for their answers.
  child.setMaxListeners(0)
  await answerOf(child, 0)
  let asked = 0
  const ask = async (question: Omit<Question, 'number'>) => {
    asked += 1
    const answer = answerOf(child, asked)
    child.send({ ...question, number: asked })
    const { value, error } = await answer
    if (error !== undefined) throw new Error(error)
    return value
  }
  return {
    revision: () => ask({ method: 'revision' }) as Promise<Revision>,
    findCaller: hash => ask({ method: 'findCaller', argument: hash }) as Promise<Caller | undefined>,
    keeps: caller => ask({ method: 'keeps', argument: caller }) as Promise<boolean>,
    async signal(signal) {
      child.kill(signal)
      if (signal === 'SIGKILL') await once(child, 'exit')
    },
  }
}

interface Question {
  number: number
  method: 'revision' | 'findCaller' | 'keeps'
  argument?: unknown
}

interface ProcessAnswer {
  number: number
  value?: unknown
  error?: string
}

function answerOf(child: ChildProcess, number: number): Promise<ProcessAnswer> {
  return new Promise((resolve, reject) => {
    const end = () => reject(new Error('The process has ended.'))
    const take = (answer: ProcessAnswer) => {
      if (answer.number !== number) return
      child.off('exit', end)
      child.off('message', take)
      resolve(answer)
    }
    child.once('exit', end)
    child.on('message', take)
  })
}

if (import.meta.main) {
  const [url = '', instances] = process.argv.slice(2)
  const watch = { committed() {}, leaseLost() {}, leaseRestored() {} }
  const store = await PostgresStore.open(url, 'production', { instances: instances as 'single' | 'many', watch })
  const foundAt = new Map<bigint, number>()
  const methods = {
    revision: () => store.revision(),
    async findCaller(hash: string) {
      const { callers } = store.revision()
      const caller = await store.findCaller(hash)
      if (caller) foundAt.set(caller.keyId, callers)
      return caller
    },
    keeps: (caller: CallerIds) => (foundAt.get(caller.keyId) ?? -1) >= store.lastChangeOf(caller),
  }
  process.on('message', async ({ number, method, argument }: Question) => {
    try {
      process.send?.({ number, value: await methods[method](argument as never) })
    } catch (error) {
      process.send?.({ number, error: String(error) })
    }
  })
  process.on('disconnect', () => process.exit())
  process.send?.({ number: 0 })
}
