import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answers } from './answers.ts'
import type { Order } from './load.ts'
import { writeOrderFile } from './order-file.ts'
import { runGenerator } from './run-generator.ts'
import { emptyFolder } from './stock.ts'

/** A phase of a load that does not wait for answers: a number of calls per second, for some seconds. */
export interface OpenLoopPhase {
  rate: number
  seconds: number
}

export interface PhaseResult {
  seconds: number
  /** The calls that were due, and how many of them found every connection busy. */
  offered: number
  unsent: number
  admitted: Answers
  refused: Answers
  /** From the start of the phase to its last 503. */
  lastRefusedMs: number
}

/** @throws Error if any answer was neither a success nor a 503 */
export async function openLoop(
  { url, connections, ...calls }: Omit<Order, 'seconds'>,
  phases: readonly OpenLoopPhase[],
): Promise<PhaseResult[]> {
  using folder = emptyFolder()
  const orderFile = writeOrderFile(folder.path, calls)
  const program = new URL('open-loop.ts', import.meta.url).pathname
  const command = [process.execPath, program, url, orderFile, String(connections), JSON.stringify(phases)]
  const { phases: results, failures } = await runGenerator(command)
  if (failures > 0) throw new Error(`${failures} calls to ${calls.paths[0]} failed.`)
  return results
}

/** What a new client experiences, from the start of its connection to the first byte of its answer. */
export interface FirstAnswer {
  ms: number
  status: number
}

/** Repeatedly opens some connections at the same time until the work ends, and sends one call on each. */
export async function firstAnswers<Result>(
  { url, key, atOnce, everyMs }: { url: string; key: string; atOnce: number; everyMs: number },
  work: Promise<Result>,
): Promise<{ result: Result; answers: FirstAnswer[] }> {
  const answers: Promise<FirstAnswer>[] = []
  let isOver = false
  const ended = work.finally(() => {
    isOver = true
  })
  // Rejections are reported by the awaits below.
  ended.catch(() => {})
  const callOnce = () => {
    const answer = firstAnswer(url, key)
    answer.catch(() => {})
    answers.push(answer)
  }
  while (!isOver) {
    for (let one = 0; one < atOnce; one++) callOnce()
    await sleep(everyMs)
  }
  return { result: await ended, answers: await Promise.all(answers) }
}

function firstAnswer(url: string, key: string): Promise<FirstAnswer> {
  const { hostname, port, host } = new URL(url)
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    socket.write(`GET /v1/pets HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`)
    socket.once('error', reject)
    // Has no effect after an answer.
    socket.once('close', () => reject(new Error('A new connection was closed before its answer.')))
    socket.once('data', (bytes: Buffer) => {
      resolve({ ms: performance.now() - startedAt, status: Number(bytes.toString('latin1', 9, 12)) })
      socket.destroy()
    })
  })
}
