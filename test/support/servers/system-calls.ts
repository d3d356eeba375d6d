import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProgram, NotPossible } from './needs.ts'

/** How long strace needs to attach to all threads of some processes. */
const ATTACH_MS = 1_000

/**
 * Makes system calls of running processes fail or take long, in all of their threads and in the processes that they start. Returns a function that
 * stops it.
 * @param pids of a process, and of others that may end before it does
 * @param calls such as pwrite64,fdatasync
 * @param effect as in strace's `inject`, such as error=EIO or delay_exit=200000 (microseconds)
 * @throws NotPossible if strace is missing or may not attach
 */
export async function inject(
  pids: readonly [number, ...number[]],
  calls: string,
  effect: string,
): Promise<() => Promise<void>> {
  if (!findProgram('strace')) throw new NotPossible('strace is not installed')
  const options = ['-f', '-q', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', `inject=${calls}:${effect}`]
  const processes = pids.flatMap(pid => ['-p', String(pid)])
  const strace = spawn('strace', [...options, ...processes], { stdio: ['ignore', 'ignore', 'pipe'] })
  let complaints = ''
  strace.stderr.setEncoding('utf8').on('data', text => {
    complaints += text
  })
  const ended = once(strace, 'exit')
  await Promise.race([sleep(ATTACH_MS), ended])
  if (strace.exitCode !== null) {
    // Throws if the process has ended, which is a different error.
    process.kill(pids[0], 0)
    throw new NotPossible(`strace cannot attach: ${complaints.trim()}`)
  }
  return async () => {
    strace.kill('SIGINT')
    await ended
  }
}
