import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { environment, PROGRAM, type TestStore } from './command-line.ts'

const ANIMALS = 40_000

/** Kills syncs of a large file at different moments. After each, the animals are all as in the new file, or all as before. */
export async function assertWholeDespiteKills(store: TestStore, rounds: number): Promise<void> {
  // Creates the store.
  await store.act(async () => {})
  const names = ['Rex', 'Tom'] as const
  const [rex, tom] = await Promise.all(names.map(name => writeFeed(store, name)))
  const started = performance.now()
  await store.text('pet', 'sync', rex as string, '--source', 's')
  const duration = performance.now() - started
  const outcomes = new Set<string>()
  for (let round = 0, current = 'Rex'; round < rounds; round += 1) {
    const next = (current === 'Rex' ? tom : rex) as string
    const child = spawn(process.execPath, [PROGRAM, 'pet', 'sync', next, '--source', 's'], {
      env: environment(store.env),
    })
    const ended = once(child, 'close')
    await sleep(duration * Math.min(0.3 + 0.12 * round, 1))
    child.kill('SIGKILL')
    await ended
    const counts = await Promise.all(names.map(async name => (await store.json('pet', 'count', '--name', name)).total))
    const whole = names[counts.indexOf(ANIMALS)]
    assert.ok(whole !== undefined && counts.includes(0), `${counts.join(' and ')} animals`)
    outcomes.add(whole === current ? 'nothing' : 'done')
    current = whole
  }
  assert.ok(outcomes.has('nothing'), 'killed too late')
}

async function writeFeed(store: TestStore, name: string): Promise<string> {
  const file = join(store.folder, `${name}.csv`)
  const lines = Array.from({ length: ANIMALS }, (_, at) => `${at},${name} ${at},7\n`)
  await writeFile(file, `ID,name,categoryId\n${lines.join('')}`)
  return file
}
