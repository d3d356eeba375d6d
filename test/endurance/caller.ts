import { type Answer, Connection } from '../support/raw.ts'

/** How one call ended, from the caller's point of view. */
export type Outcome =
  | { kind: 'answered'; answer: Answer; waitMs: number }
  /** The connection broke, nothing arrived for ten seconds, or nothing listens on the port. */
  | { kind: 'cut off' | 'hung' | 'unreachable' }

/** Makes calls in sequence on a connection that stays open, and opens a new one when necessary. */
export class Caller {
  readonly #port: number
  #connection: Connection | undefined

  constructor(port: number) {
    this.#port = port
  }

  /** @param bytes a complete request */
  async call(bytes: string, method = 'GET'): Promise<Outcome> {
    const startedAt = performance.now()
    try {
      if (!this.#connection || this.#connection.isEnded) this.#connection = await Connection.open(this.#port)
      this.#connection.write(bytes)
      const answer = await this.#connection.answer(method)
      if (answer.header('connection') === 'close') this.close()
      return { kind: 'answered', answer, waitMs: performance.now() - startedAt }
    } catch (error) {
      this.close()
      return { kind: kindOf(error as NodeJS.ErrnoException) }
    }
  }

  close(): void {
    this.#connection?.destroy()
    this.#connection = undefined
  }
}

function kindOf({ code, message }: NodeJS.ErrnoException): 'cut off' | 'hung' | 'unreachable' {
  if (code === 'ECONNREFUSED') return 'unreachable'
  return message.startsWith('nothing came for') ? 'hung' : 'cut off'
}
