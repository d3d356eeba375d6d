import sax from 'sax'
import { damaged } from './damaged.ts'

export interface XmlEvents {
  /** @param name without its prefix */
  open?(name: string, attributes: Readonly<Record<string, string>>): void
  /** A part of a text. */
  text?(text: string): void
  close?(name: string): void
}

/** Far more than any workbook has. */
const MAX_DEPTH = 50
const MAX_ATTRIBUTES = 100

/**
 * Reads XML as it arrives, in constant memory. A document type, which could define entities, is refused.
 * @param build returns what to do with each event, and may call `found`
 * @returns what was found in each part
 * @throws Error when the XML is not well-formed
 */
export async function* readXml<Found>(
  chunks: AsyncIterable<Buffer>,
  build: (found: (one: Found) => void) => XmlEvents,
): AsyncGenerator<Found[], void> {
  let all: Found[] = []
  const events = build(one => all.push(one))
  const parser = sax.parser(true)
  let [depth, attributes] = [0, 0]
  parser.onerror = error => {
    throw error
  }
  parser.ondoctype = () => {
    throw damaged('its XML has a document type')
  }
  parser.onopentagstart = () => {
    attributes = 0
    depth += 1
    if (depth > MAX_DEPTH) throw damaged('its XML is nested too deeply')
  }
  parser.onattribute = () => {
    attributes += 1
    if (attributes > MAX_ATTRIBUTES) throw damaged('its XML has too many attributes')
  }
  parser.onopentag = ({ name, attributes }) => events.open?.(bare(name), attributes as Record<string, string>)
  parser.ontext = text => events.text?.(text)
  parser.oncdata = text => events.text?.(text)
  parser.onclosetag = name => {
    depth -= 1
    events.close?.(bare(name))
  }
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of chunks) {
    parser.write(decoder.decode(chunk, { stream: true }))
    if (all.length === 0) continue
    yield all
    all = []
  }
  parser.write(decoder.decode()).close()
}

/**
 * All that was found in a part that is small enough to be kept.
 * @throws UserError when that is more than so many
 */
export async function readAllXml<Found>(
  chunks: AsyncIterable<Buffer>,
  most: number,
  build: (found: (one: Found) => void) => XmlEvents,
): Promise<Found[]> {
  const all: Found[] = []
  for await (const some of readXml(chunks, build)) {
    for (const one of some) all.push(one)
    if (all.length > most) throw damaged(`a part of it has more than ${most} entries`)
  }
  return all
}

function bare(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** The value of an attribute that has a prefix of any name, such as `r:id`. */
export function prefixed(attributes: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(attributes).find(([key]) => key.endsWith(`:${name}`))?.[1]
}
