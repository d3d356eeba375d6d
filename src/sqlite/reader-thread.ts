import type { SQLInputValue } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { buildLongReads, type LongReads } from '../sql/long-reads.ts'
import type { Query } from '../sql/statement.ts'
import { connect } from './connection.ts'
import { SQLITE } from './dialect.ts'
import { isDamage } from './sqlite-errors.ts'
import { Statements } from './statements.ts'

/** The thread for reads that may take long. Each message is one of them: its name and its arguments. */
const port = parentPort as NonNullable<typeof parentPort>
const reads = buildLongReads(SQLITE)
const database = connect(workerData as string)
database.function('fold', { deterministic: true }, fold)
database.function('has_part', { deterministic: true }, (text, part) => Number(fold(text).includes(String(part))))
const statements = new Statements(database)

port.on('message', ([name, ...args]: [name: keyof LongReads, ...args: unknown[]]) => {
  const read = reads[name] as (...args: unknown[]) => Query<unknown>
  try {
    const query = read(...args)
    port.postMessage({ result: query.resultOf(statements.run(query)) })
  } catch (error) {
    port.postMessage({ error, isDamage: isDamage(error) })
  }
})

/** Names are compared regardless of case and normal form. In capitals, ß is SS and ς is Σ. */
function fold(text: SQLInputValue): string {
  return String(text).normalize('NFKC').toUpperCase().normalize('NFKC')
}
