import { shellWord } from '../domain/shell-quote.ts'
import { escapeHtml } from './html.ts'

/** Values that are only known when the service runs. */
export interface Values {
  /** The root of the service, with a slash at its end. */
  service: string
  /** The roots of both deployments, with a slash at their ends. */
  production: string
  staging: string
  /** The root of the service and the public base URL of the API, as words of a shell command. */
  'shell-service': Html
  'shell-base': Html
  /** The hint at staging on the home page. */
  'staging-note': Html
  /** The root of the operators' listener, with a slash at its end. */
  operators: string
}

/** HTML, which is inserted as it is. */
interface Html {
  html: string
}

const PLACEHOLDER = /https:\/\/([a-z-]+)\.placeholder\.invalid\//g

/**
 * What a built page contains instead of a value. It has the form of an address, so that Markdown, samples of code and checks of links treat it like
 * the value.
 */
export function placeholder(name: keyof Values): string {
  return `https://${name}.placeholder.invalid/`
}

export function hasPlaceholder(text: string): boolean {
  return text.search(PLACEHOLDER) >= 0
}

/** Puts the values into a text in UTF-8, escaped for its media type. */
export function fillIn(content: Buffer, mediaType: string, values: Partial<Values>): Buffer {
  const escapeValue = ESCAPES[mediaType.split(';', 1)[0] as string] ?? (value => value)
  // Each byte is one character of this text, which halves the memory that large pages need for a moment.
  const text = content.toString('latin1').replaceAll(PLACEHOLDER, (_, name: keyof Values) => {
    const value = values[name]
    if (value === undefined) throw new Error(`A page needs the value of "${name}", which this listener does not have.`)
    return Buffer.from(typeof value === 'string' ? escapeValue(value) : value.html).toString('latin1')
  })
  return Buffer.from(text, 'latin1')
}

const ESCAPES: Readonly<Record<string, (value: string) => string>> = {
  'text/html': escapeHtml,
  'application/json': value => JSON.stringify(value).slice(1, -1),
}

/** A word of a shell command in HTML, marked like the samples around it. */
export function shellWordHtml(word: string): Html {
  const text = shellWord(word)
  return { html: text === word ? escapeHtml(text) : `<span class="hljs-string">${escapeHtml(text)}</span>` }
}
