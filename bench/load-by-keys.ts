import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runGenerator } from './run-generator.ts'
import { emptyFolder } from './stock.ts'

interface Order {
  url: string
  keys: readonly string[]
  connections: number
  /** The status that each answer must have. */
  status: number
}

/**
 * Lists the animals once with each key.
 * @throws Error if an answer has another status
 */
export async function eachKeyOnce({
  url,
  keys,
  connections,
  status,
}: Order): Promise<{ calls: number; seconds: number }> {
  using folder = emptyFolder()
  const file = join(folder.path, 'keys')
  writeFileSync(file, keys.join('\n'))
  const program = new URL('each-key-once.ts', import.meta.url).pathname
  return await runGenerator([process.execPath, program, url, file, String(connections), String(status)])
}
