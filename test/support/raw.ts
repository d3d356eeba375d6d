import type { Socket } from 'node:net'
import { openSocket, resetSocket } from './transport.ts'

/** How long a service may be silent before a test considers it hung. */
const PATIENCE_MS = 30_000

/** One answer exactly as it was on the wire. */
export class Answer {
  readonly status: number
  /** Names as sent, in the order sent. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer

  constructor(status: number, headers: readonly (readonly [string, string])[], body: Buffer) {
    this.status = status
    this.headers = headers
    this.body = body
  }

  /** Every value of a header, in the order sent. */
  all(name: string): string[] {
    return this.headers.filter(([one]) => one.toLowerCase() === name.toLowerCase()).map(([, value]) => value)
  }

  /** The value of a header, joined as HTTP joins repeated ones. */
  header(name: string): string | undefined {
    const values = this.all(name)
    return values.length === 0 ? undefined : values.join(', ')
  }

  get text(): string {
    return this.body.toString('utf8')
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects
  get json(): any {
    return JSON.parse(this.text)
  }
}

/** One connection on which a test writes raw bytes. It reads strictly: anything that is not an HTTP/1.1 answer is an error. */
export class Connection {
  readonly #socket: Socket
  readonly #check: (answer: Answer, method: string) => void
  #received: Buffer = Buffer.alloc(0)
  #ended = false
  #wake: () => void = () => {}

  static async open(port: number, check: (answer: Answer, method: string) => void = () => {}): Promise<Connection> {
    return new Connection(await openSocket(port), check)
  }

  private constructor(socket: Socket, check: (answer: Answer, method: string) => void) {
    this.#socket = socket
    this.#check = check
    socket.on('data', (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes])
      this.#wake()
    })
    const end = () => {
      this.#ended = true
      socket.end()
      this.#wake()
    }
    socket.on('end', end).on('close', end).on('error', end)
  }

  write(bytes: string | Uint8Array): void {
    if (!this.#socket.writableEnded) this.#socket.write(bytes)
  }

  /** Half-closes the connection; the service's answers can still be read. */
  end(): void {
    this.#socket.end()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /** Resets the connection (RST) instead of ending it (FIN). */
  reset(): void {
    resetSocket(this.#socket)
  }

  /** Stops reading what the service sends. */
  stopReading(): void {
    this.#socket.pause()
  }

  startReading(): void {
    this.#socket.resume()
  }

  /** How many bytes the system has not accepted yet. */
  get unsentBytes(): number {
    return this.#socket.writableLength
  }

  get isEnded(): boolean {
    return this.#ended
  }

  /** Whether the connection broke, so that unread answers may be lost. */
  get isBroken(): boolean {
    return this.#socket.errored !== null
  }

  /** Waits for the first unread bytes, or for the end. */
  async arrival(): Promise<void> {
    while (this.#received.length === 0 && !this.#ended) await this.#more()
  }

  /** The next answer; interim ones (1xx) come as answers too. `method` is that of the call: an answer to HEAD has no body. */
  async answer(method = 'GET'): Promise<Answer> {
    const headEnd = await this.#find('\r\n\r\n')
    const [statusLine = '', ...lines] = this.#received.subarray(0, headEnd).toString('latin1').split('\r\n')
    const status = /^HTTP\/1\.1 ([1-5][0-9]{2}) [\t -~]*$/.exec(statusLine)?.[1]
    if (!status) throw new Error(`no status line: ${JSON.stringify(statusLine)}`)
    const headers = lines.map(parseHeaderLine)
    this.#received = this.#received.subarray(headEnd + 4)
    const bare = new Answer(Number(status), headers, Buffer.alloc(0))
    const answer = hasBody(bare.status, method) ? new Answer(bare.status, headers, await this.#readBody(bare)) : bare
    this.#check(answer, method)
    return answer
  }

  /** Waits until the service ends the connection. Any unread bytes are an error. */
  async ended(): Promise<void> {
    while (!this.#ended) await this.#more()
    if (this.#received.length > 0) throw new Error(`unexpected bytes: ${preview(this.#received)}`)
  }

  /** Every answer up to the end of the connection, for calls with these methods and then GET. */
  async answersUntilEnd(methods: readonly string[] = []): Promise<Answer[]> {
    const answers: Answer[] = []
    for (;;) {
      await this.arrival()
      if (this.#received.length === 0) return answers
      answers.push(await this.answer(methods[answers.length]))
    }
  }

  async #readBody(head: Answer): Promise<Buffer> {
    const [length, ...others] = head.all('content-length')
    const coding = head.header('transfer-encoding')
    // An endless body: its first event is read.
    if (head.header('content-type') === 'text/event-stream') return this.readChunk()
    if (others.length > 0) throw new Error('more than one Content-Length')
    if (length !== undefined && coding !== undefined) throw new Error('both Content-Length and Transfer-Encoding')
    if (coding === 'chunked') return this.#readChunks()
    if (coding !== undefined) throw new Error(`unexpected Transfer-Encoding: ${coding}`)
    if (length !== undefined) {
      if (!/^[0-9]+$/.test(length)) throw new Error(`Content-Length: ${length}`)
      return this.#take(Number(length))
    }
    while (!this.#ended) await this.#more()
    return this.#take(this.#received.length)
  }

  async #readChunks(): Promise<Buffer> {
    const chunks: Buffer[] = []
    for (;;) {
      const chunk = await this.readChunk()
      if (chunk.length === 0) return Buffer.concat(chunks)
      chunks.push(chunk)
    }
  }

  /** The next chunk of a body; an empty one ends it. */
  async readChunk(): Promise<Buffer> {
    const sizeLine = (await this.#take((await this.#find('\r\n')) + 2)).toString('latin1')
    const size = Number.parseInt(sizeLine, 16)
    if (!/^[0-9a-f]+\r\n$/i.test(sizeLine)) throw new Error(`chunk size ${JSON.stringify(sizeLine)}`)
    const chunk = await this.#take(size)
    if ((await this.#take(2)).toString() !== '\r\n') throw new Error('a chunk does not end where it should')
    return chunk
  }

  async #find(mark: string): Promise<number> {
    for (;;) {
      const index = this.#received.indexOf(mark)
      if (index !== -1) return index
      if (this.#ended) throw new Error(`the connection ended without a whole answer: ${preview(this.#received)}`)
      await this.#more()
    }
  }

  async #take(length: number): Promise<Buffer> {
    while (this.#received.length < length) {
      if (this.#ended) throw new Error('the connection ended inside a body')
      await this.#more()
    }
    const taken = this.#received.subarray(0, length)
    this.#received = this.#received.subarray(length)
    return taken
  }

  #more(): Promise<void> {
    return new Promise((resolve, reject) => {
      const hanging = setTimeout(
        () => reject(new Error(`nothing came for ${PATIENCE_MS} ms; received: ${preview(this.#received)}`)),
        PATIENCE_MS,
      )
      this.#wake = () => {
        clearTimeout(hanging)
        resolve()
      }
    })
  }
}

/** Writes exactly these bytes and reads one answer for each of the methods: by default one, for the method that the bytes begin with. */
export async function rawCall(
  port: number,
  bytes: string | Uint8Array,
  {
    methods = [firstWord(bytes)],
    check,
  }: { methods?: readonly string[]; check?: ((answer: Answer, method: string) => void) | undefined } = {},
): Promise<Answer[]> {
  const connection = await Connection.open(port, check)
  try {
    connection.write(bytes)
    const answers: Answer[] = []
    for (const method of methods) answers.push(await connection.answer(method))
    return answers
  } finally {
    connection.destroy()
  }
}

export function firstWord(bytes: string | Uint8Array): string {
  const start = typeof bytes === 'string' ? bytes.slice(0, 20) : Buffer.from(bytes.subarray(0, 20)).toString('latin1')
  return /^[A-Z]*/.exec(start)?.[0] ?? ''
}

function parseHeaderLine(line: string): readonly [string, string] {
  const parts = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/.exec(line)
  if (!parts) throw new Error(`no header line: ${JSON.stringify(line)}`)
  return [parts[1] ?? '', parts[2] ?? '']
}

function hasBody(status: number, method: string): boolean {
  return status >= 200 && status !== 204 && status !== 304 && method !== 'HEAD'
}

function preview(bytes: Buffer): string {
  return JSON.stringify(bytes.subarray(0, 300).toString('latin1'))
}
