import { randomBytes } from 'node:crypto'
import { type Connection, cannotBeUsed, connect } from './connection.ts'
import { consume, type Question } from './consume.ts'
import { explainDenied } from './explain-denied.ts'
import { probeKeyOf } from './keys.ts'
import { SCRIPTS } from './scripts.ts'
import { withTimeout } from './timeouts.ts'

/**
 * Runs the service's scripts through every branch, as the service does, on keys of its own, which it then removes. In a cluster, each node that
 * holds keys is tried.
 * @param place the name of the servers, for messages
 * @throws Error that names the command that failed
 */
export async function tryScripts(urls: readonly string[], place: string): Promise<void> {
  const connection = connect(urls, () => {}, NAMING_SCRIPTS)
  try {
    await connection.opened
    const failure = connection.failure()
    if (failure) throw failure
    for (const [node, key] of keyOfEachNode(connection)) {
      await tryOnNode(connection, key).catch(error => {
        throw cannotBeUsed(node || place, new Error(explainDenied(error)))
      })
    }
  } finally {
    connection.close()
  }
}

/** The error of a denied command in a script does not name it, so each command is called through a function that adds its name. */
const NAMING = `local real = redis
local function run(command, ...)
  local reply = real.pcall(command, ...)
  if type(reply) == 'table' and reply.err then error('[' .. command .. '] ' .. reply.err, 0) end
  return reply
end
local redis = { call = run, pcall = run }
`

const NAMING_SCRIPTS = {
  consume: NAMING + SCRIPTS.consume,
  settleBan: NAMING + SCRIPTS.settleBan,
  probe: NAMING + SCRIPTS.probe,
}

/** Enough to find a key of each node of the largest clusters in use. */
const KEYS_TO_TRY = 5_000

function keyOfEachNode(connection: Connection): Map<string, string> {
  const trial = randomBytes(6).toString('hex')
  const keys = Array.from({ length: KEYS_TO_TRY }, (_, number) => `petstore:{doctor-${trial}-${number}}`)
  return new Map(keys.map(key => [connection.nodeOf(key), key]))
}

/** The scripts take this time from the caller. */
const NOON = Date.UTC(2027, 0, 1, 12)
const SECOND_MS = 1_000
const DAY_MS = 86_400 * SECOND_MS
/** An API key, and where its calls come from. */
const KEY = '1 192.0.2.1'
const OTHER_KEY = '2 192.0.2.1'

async function tryOnNode(connection: Connection, hash: string): Promise<void> {
  const ask = async (task: Question['task'], id: string, now: number, expected: string) => {
    const { outcome } = await withTimeout(
      consume(connection, {
        task,
        hash,
        limits: { perMinute: 2, perDay: 10 },
        known: {},
        unreported: {},
        deadline: Number.MAX_SAFE_INTEGER,
        now,
        key: { id, ban: undefined, after: 1, withinMs: 60 * SECOND_MS },
      }),
    )
    if (outcome !== expected) throw new Error(`a script returned "${outcome}" instead of "${expected}"`)
  }
  const settle = (...args: (string | number)[]) => withTimeout(connection.run('settleBan', hash, KEY, ...args))
  const probe = probeKeyOf(hash)
  const claimedAt = NOON + 50 * SECOND_MS
  const banEnd = claimedAt + 60 * SECOND_MS
  try {
    await withTimeout(connection.run('probe', probe))
    await ask('ask', KEY, NOON, 'missing')
    await ask('count', KEY, NOON, 'admitted')
    await ask('ask', KEY, NOON, 'admitted')
    await ask('ask', KEY, NOON, 'refused')
    await ask('ask', KEY, claimedAt, 'claimed')
    await settle(claimedAt)
    await ask('ask', KEY, claimedAt, 'claimed')
    await settle(claimedAt, 1, claimedAt, banEnd, 1, claimedAt)
    await ask('ask', KEY, claimedAt, 'banned')
    await ask('ask', OTHER_KEY, NOON + DAY_MS, 'admitted')
  } finally {
    await withTimeout(connection.remove(hash, probe))
  }
}
