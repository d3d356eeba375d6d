import { styleText } from 'node:util'
import { wrap } from './columns.ts'
import { plainLine } from './text.ts'

type Style = Parameters<typeof styleText>[0]
type Fields = Record<string, unknown>

const LEVELS: Record<string, [name: string, style: Style]> = {
  10: ['trace', 'dim'],
  20: ['debug', 'dim'],
  30: ['info', 'dim'],
  40: ['warn', 'yellow'],
  50: ['error', 'red'],
  60: ['fatal', 'red'],
}
const INDENT = ' '.repeat('12:00:00  error  '.length)

/** Writes a log for people: turns each line of JSON from pino or the access log into text. */
export class LogText {
  readonly #output: { write(text: string): unknown }
  readonly #stream: NodeJS.WriteStream

  /** @param stream the one that `output` writes to; it determines colours and width */
  constructor(output: { write(text: string): unknown }, stream: NodeJS.WriteStream) {
    this.#output = output
    this.#stream = stream
  }

  write(line: string): void {
    this.#output.write(this.#format(JSON.parse(line)))
  }

  #format({ level, time, msg, err, ...fields }: Fields): string {
    const [name, style] = LEVELS[String(level)] ?? [String(level), 'dim']
    const isCall = msg === 'call'
    const label = isCall ? String(fields.status ?? '-') : name
    const text = isCall ? describeCall(fields) : [plainLine(String(msg)), ...describe(fields)].join(' ')
    // A terminal that does not know its width reports 0.
    const columns = this.#stream.columns || Infinity
    return [
      this.#paint('dim', clock(Number(time))),
      this.#paint(isCall ? styleOf(fields.status) : style, label.padEnd('error'.length)),
      `${wrap(text, Math.max(columns - INDENT.length, INDENT.length)).join(`\n${INDENT}`)}\n${this.#describeError(err)}`,
    ].join('  ')
  }

  #describeError(error: unknown): string {
    if (error === undefined) return ''
    // Anything can be thrown.
    const { stack, message } = Object(error)
    const lines = String(stack ?? message ?? toText(error)).split('\n')
    return lines.map(line => `${INDENT}${this.#paint('dim', plainLine(line))}\n`).join('')
  }

  /** Only where the stream can show it: see NO_COLOR and FORCE_COLOR in Node's documentation. */
  #paint(style: Style, text: string): string {
    return styleText(style, text, { stream: this.#stream })
  }
}

/** In local time, because the reader is at this machine. */
function clock(time: number): string {
  const date = new Date(time)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(part => String(part).padStart(2, '0')).join(':')
}

function styleOf(status: unknown): Style {
  if (typeof status !== 'number' || status >= 500) return 'red'
  return status < 400 ? 'green' : 'yellow'
}

/** Omits the operation, which method and path show, and the request id unless the call failed. */
function describeCall({
  method,
  path,
  durationMs,
  requestId,
  status,
  operation: _,
  traceId: _trace,
  ...rest
}: Fields): string {
  const id = typeof status === 'number' && status < 500 ? {} : { requestId }
  const duration = `${Number(durationMs).toFixed(1)} ms`
  return [`${method}`, plainLine(`${path}`), duration, ...describe({ ...rest, ...id })].join(' ')
}

/** Text with a space or a quote is quoted, so that it cannot look like another field. */
function describe(fields: Fields): string[] {
  return Object.entries(fields).map(([name, value]) => {
    const isBare = typeof value === 'string' && !/[\s"]/.test(value)
    return `${name}=${plainLine(isBare ? value : JSON.stringify(value))}`
  })
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
