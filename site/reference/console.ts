import { escapeHtml } from '../../src/pages/html.ts'
import { JSON_TYPE, type Operation, type Parameter } from './document.ts'
import { examplesOf } from './example.ts'

export interface Target {
  /** The label of the credential, such as "API key". */
  credentialName: string
  /** Path of the API, relative to the root of the service. */
  base: string
}

/** Renders a form that sends a call to an operation. console.js sends it; without scripts, the form is hidden. */
export function renderConsole(operation: Operation, { credentialName, base }: Target): string {
  const { method, path, summary, isOpen, parameters = [], requestBody } = operation
  const [example] = examplesOf(operation)
  const credential = isOpen
    ? ''
    : `<label><span>${credentialName}</span><input type="password" name="credential" autocomplete="new-password" spellcheck="false" required></label>`
  // The id in a call that changes something is not prefilled: the reader must enter it.
  const fields = parameters
    .filter(({ name }) => !UNUSED.includes(name))
    .map(parameter => {
      const isPrefilled = parameter.required && (method === 'GET' || parameter.in === 'header')
      return renderField(parameter, isPrefilled ? example?.[PARTS[parameter.in]][parameter.name] : undefined)
    })
  const body = requestBody ? renderBody(example?.body ?? {}, example?.bodyType) : ''
  return `<details class="console">
<summary>Try it</summary>
<form aria-label="${escapeHtml(`Try it: ${summary}`)}" data-method="${method}" data-path="${escapeHtml(base + path)}">
<div class="fields">${credential}${fields.join('')}${body}</div>
<p class="send"><button type="submit" disabled>Send</button> <span class="outcome" role="status"></span></p>
<div class="answer" hidden>
<pre aria-label="Response" role="region" tabindex="0"><code></code></pre>
<details class="more"><summary>Response headers</summary><pre aria-label="Response headers" role="region" tabindex="0"><code></code></pre></details>
</div>
</form>
</details>`
}

/** Headers that are of no use with a key or token, or in a form that reads each response only once. */
const UNUSED = ['X-CSRF-Token', 'X-Request-Id', 'If-None-Match']
const PARTS = { path: 'path', query: 'query', header: 'headers' } as const

function renderField({ name, in: place, required, schema }: Parameter, value: unknown): string {
  const attributes = `name="${escapeHtml(name)}" data-in="${place}"${required ? ' required' : ''}`
  const given = value === undefined ? '' : ` value="${escapeHtml(String(value))}"`
  const usual = schema.default === undefined ? '' : ` placeholder="${escapeHtml(String(schema.default))}"`
  return `<label><span>${escapeHtml(name)}</span><input ${attributes}${given}${usual} autocomplete="off" spellcheck="false"></label>`
}

function renderBody(value: unknown, type = JSON_TYPE): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  const rows = text.split('\n').length
  return `<label class="full"><span>Body</span><textarea name="body" data-type="${escapeHtml(type)}" rows="${rows}" spellcheck="false" required>${escapeHtml(text)}</textarea></label>`
}
