import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import type { Revision } from '../../../src/domain/store/revision.ts'
import { PostgresStore } from '../../../src/postgres/store.ts'

/** An instance in a separate process, which may be stopped and killed. */
export interface StoreProcess {
  /** Its current state. */
  revision(): Promise<Revision>
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): Promise<void>
}

/** Opens a store in a separate process. It ends with the test. */
export async function startStoreProcess(
  t: TestContext,
  url: string,
  instances: 'single' | 'many',
): Promise<StoreProcess> {
  const child = fork(import.meta.filename, [url, instances])
  t.after(() => child.kill('SIGKILL'))
  await answerOf(child)
  return {
    async revision() {
      child.send('revision')
      return (await answerOf(child)) as Revision
    },
    async signal(signal) {
      child.kill(signal)
      if (signal === 'SIGKILL') await once(child, 'exit')
    },
  }
}

function answerOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const end = () => reject(new Error('The process has ended.'))
    child.once('exit', end)
    child.once('message', answer => {
      child.off('exit', end)
      resolve(answer)
    })
  })
}

if (import.meta.main) {
  const [url = '', instances] = process.argv.slice(2)
  const watch = { committed() {}, changeFeedLost() {}, changeFeedRestored() {} }
  const store = await PostgresStore.open(url, 'production', { instances: instances as 'single' | 'many', watch })
  process.on('message', () => process.send?.(store.revision()))
  process.on('disconnect', () => process.exit())
  process.send?.('ready')
}
