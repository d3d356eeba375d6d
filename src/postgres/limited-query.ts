import { Query, type QueryResultRow } from 'pg'

/** The driver's own connection, as far as a query uses it. */
interface Wire {
  parsedStatements: Record<string, string>
  parse(statement: StatementText): void
  bind(to: { statement: string | undefined }): void
  execute(portal: object): void
}

declare module 'pg' {
  // The parts of the driver's class that its types leave out.
  // biome-ignore lint/suspicious/noExplicitAny: as in those types
  interface Query<R extends QueryResultRow = any, I extends any[] = any> {
    prepare(wire: Wire): void
    handleDataRow(message: unknown): void
    handleCommandComplete(message: unknown, wire: Wire): void
  }
}

export interface StatementText {
  /** Without a name, it is prepared only for this time. */
  name?: string | undefined
  text: string
}

export interface LimitedQueryConfig extends StatementText {
  values: unknown[]
  /** A SELECT that sets the limits of the statement until the end of its transaction. */
  limit: StatementText
}

/**
 * A statement with limits of its own, in a transaction of its own. Both are sent together, so they take one round trip. Limits of the session would
 * not do: behind a pooler, each transaction may get another session.
 */
export class LimitedQuery extends Query {
  readonly #limit: StatementText
  #isLimited = false

  constructor({ limit, ...statement }: LimitedQueryConfig, done: (error: Error | undefined, result: unknown) => void) {
    super({ ...statement, queryMode: 'extended' } as never, done as never)
    this.#limit = limit
  }

  override prepare(wire: Wire): void {
    const { name, text } = this.#limit
    if (name === undefined || wire.parsedStatements[name] === undefined) wire.parse({ name, text })
    if (name !== undefined) wire.parsedStatements[name] = text
    wire.bind({ statement: name })
    wire.execute({})
    super.prepare(wire)
  }

  override handleDataRow(message: unknown): void {
    if (this.#isLimited) super.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.#isLimited) super.handleCommandComplete(message, wire)
    this.#isLimited = true
  }
}
