import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { PROGRAM } from './command-line.ts'

/** Starts a service in its own process, on free ports, until the end of the test or until it is stopped. */
export async function serve(t: TestContext, folder: string): Promise<{ baseUrl: string; stop(): Promise<void> }> {
  const env = { PETSTORE_DATA: folder, PETSTORE_PORT: '0', PETSTORE_OPERATOR_PORT: '0' }
  const child = spawn(process.execPath, [PROGRAM, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  t.after(() => child.kill('SIGKILL'))
  let log = ''
  const baseUrl = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the service did not start: ${log}`)))
    child.stdout.on('data', chunk => {
      log += chunk
      const url = /"baseUrl":"([^"]+)"/.exec(log)
      if (url?.[1]) resolve(url[1])
    })
  })
  return {
    baseUrl,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}
