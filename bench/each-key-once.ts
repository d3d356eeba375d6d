import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'

/**
 * Lists the animals once with each key of a file, which has one key per line: `node each-key-once.ts URL KEYS_FILE CONNECTIONS STATUS`.
 * Fails if an answer has another status.
 */
const [address = '', keysFile = '', connections = '', status = ''] = process.argv.slice(2)
const keys = readFileSync(keysFile, 'utf8').trim().split('\n').values()
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) })

const startedAt = performance.now()
let calls = 0
await Promise.all(Array.from({ length: Number(connections) }, callOneByOne))
agent.destroy()
process.stdout.write(`${JSON.stringify({ calls, seconds: (performance.now() - startedAt) / 1_000 })}\n`)

async function callOneByOne(): Promise<void> {
  for (const key of keys) {
    const answered = await call(key)
    if (answered !== Number(status)) throw new Error(`${answered} instead of ${status}`)
    calls++
  }
}

function call(key: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get(`${address}/v1/pets`, { agent, headers: { Authorization: `Bearer ${key}` } }, response => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    request.on('error', reject)
  })
}
