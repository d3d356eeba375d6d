import { parseJson } from './json.ts'
import type { BadLine, ImportReport } from './schema.ts'

/** Everything of a report except its bad lines, of which there may be a million. */
export type ImportTotals = Omit<ImportReport, 'bad'>

/** The totals come before the bad lines, within this many bytes. */
const MAX_TOTALS = 4_096

export async function readTotals(answer: Blob): Promise<ImportTotals> {
  const { bad: _, ...totals } = parseJson(`${(await headOf(answer)).slice(0, -1)}[]}`) as ImportReport
  return totals
}

/** Reads the bad lines in batches, in constant memory. */
export async function* readBadLines(answer: Blob): AsyncGenerator<BadLine[], void> {
  const splitter = new ObjectSplitter()
  // The totals are ASCII: as many bytes as characters.
  const list = answer.slice((await headOf(answer)).length)
  for await (const part of textOf(list)) yield splitter.push(part).map(text => parseJson(text) as BadLine)
}

/** The start of the response, up to the bracket that opens the list. */
async function headOf(answer: Blob): Promise<string> {
  const head = /^[^[]*"bad":\[/.exec(await answer.slice(0, MAX_TOTALS).text())
  if (!head) throw new Error('The response of the service is not an import report.')
  return head[0]
}

async function* textOf(blob: Blob): AsyncGenerator<string, void> {
  const reader = blob.stream().pipeThrough(new TextDecoderStream()).getReader()
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel()
  }
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [34, 92, 123, 125]

/** Extracts the objects from a list that arrives in chunks. */
class ObjectSplitter {
  #text = ''
  #at = 0
  #start = 0
  #depth = 0
  #isQuoted = false

  /** @returns the objects that this chunk completes */
  push(part: string): string[] {
    const found: string[] = []
    this.#text += part
    for (; this.#at < this.#text.length; this.#at += 1) {
      const code = this.#text.charCodeAt(this.#at)
      if (code === QUOTE) this.#isQuoted = !this.#isQuoted
      else if (code === BACKSLASH) this.#at += 1
      else if (this.#isQuoted) continue
      else if (code === OPEN) this.#open()
      else if (code === CLOSE && this.#close()) found.push(this.#text.slice(this.#start, this.#at + 1))
    }
    const used = this.#depth === 0 ? this.#text.length : this.#start
    this.#text = this.#text.slice(used)
    this.#at -= used
    this.#start = 0
    return found
  }

  #open(): void {
    if (this.#depth === 0) this.#start = this.#at
    this.#depth += 1
  }

  #close(): boolean {
    // The last one closes the report.
    if (this.#depth === 0) return false
    this.#depth -= 1
    return this.#depth === 0
  }
}
