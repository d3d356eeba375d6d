import { cannotBeUsed, connect, subscribe } from './connection.ts'
import { explainDenied } from './scripts.ts'
import { withTimeout } from './timeouts.ts'

/** Enough to find a key of each node of the largest clusters in use. */
const KEYS_TO_TRY = 5_000

/**
 * Runs the commands that counting takes, as the service does, on keys of its own, which it then removes. In a cluster, each node that holds keys
 * is tried.
 * @param place the name of the servers, for messages
 * @throws Error that names the command that failed
 */
export async function tryScripts(urls: readonly string[], place: string): Promise<void> {
  const connection = connect(urls, () => {})
  const news = subscribe(urls, 'petstore:{doctor}', () => {})
  const orExplained = (answer: Promise<unknown>, node = '') =>
    withTimeout(answer).catch(error => {
      throw cannotBeUsed(node || place, new Error(explainDenied(error)))
    })
  try {
    const failure = await connection.opened
    if (failure) throw failure
    const keys = Array.from({ length: KEYS_TO_TRY }, (_, number) => `petstore:{doctor-${number}}`)
    const keyOfEachNode = new Map(keys.map(key => [connection.nodeOf(key), key]))
    for (const [node, key] of keyOfEachNode) {
      // The first time, the server gets the script (EVAL); then, it has it (EVALSHA).
      for (let time = 0; time < 2; time += 1) {
        await orExplained(connection.run('trial', key), node)
      }
    }
    await orExplained(news.subscribed)
  } finally {
    news.close()
    connection.close()
  }
}
