import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { type Answer, rawCall } from './raw.ts'
import { startTestService } from './service.ts'

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked, not modelled
type Json = any

/** The service's OpenAPI document, to check its answers against. */
export interface Description {
  /** Checks an answer of a documented operation; other calls are ignored. */
  check(method: string, target: string, answer: Answer): void
}

let loading: Promise<Description | undefined> | undefined

/** Fetched once, from a separate service, so that the request changes no counter that a test checks. Absent while the service has none. */
export function loadDescription(): Promise<Description | undefined> {
  loading ??= load()
  return loading
}

async function load(): Promise<Description | undefined> {
  const cleanups: (() => unknown)[] = []
  const service = await startTestService({ after: fn => cleanups.unshift(fn) })
  try {
    const request = `GET /openapi.json HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\n\r\n`
    const [answer] = await rawCall(service.port, request)
    return answer?.status === 200 ? describe(answer.json) : undefined
  } finally {
    for (const cleanup of cleanups) await cleanup()
  }
}

export function describe(document: Json): Description {
  // Nothing of the document is a keyword of a schema, so comparing it with the meta-schema would prove nothing.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false })
  addFormats.default(ajv)
  // Clients must accept unknown values, but our own answers may only have listed ones.
  ajv.addKeyword({ keyword: 'x-extensible-enum', validate: (codes: string[], code: string) => codes.includes(code) })
  ajv.addSchema(document, 'openapi')
  const compiled = new Map<string, ValidateFunction>()
  const validate = (pointer: string, value: unknown, what: string) => {
    // Most responses have the same few schemas, which are slow to compile.
    const schema = JSON.stringify(at(document, pointer))
    const validator = compiled.get(schema) ?? ajv.compile({ $ref: `openapi#${pointer}` })
    compiled.set(schema, validator)
    assert.ok(validator(value), `${what} against the document: ${ajv.errorsText(validator.errors)}`)
  }
  const resolve = (pointer: string): { pointer: string; value: Json } => {
    const value = at(document, pointer)
    return typeof value?.$ref === 'string' ? resolve(value.$ref.slice(1)) : { pointer, value }
  }
  const templates = templatesOf(document)

  return {
    check(method, target, answer) {
      const operation = findOperation(document, templates, method, target)
      if (!operation || answer.status < 200) return
      const name = `${method} ${target.slice(0, 80)} → ${answer.status}`
      const response = resolve(`${operation}/responses/${answer.status}`)
      assert.ok(response.value, `${name}: the status is documented`)
      checkHeaders(response, name)
      if (method !== 'HEAD') checkBody(response, name)

      function checkHeaders({ pointer, value }: { pointer: string; value: Json }, of: string): void {
        const documented = new Map(Object.keys(value.headers ?? {}).map(header => [header.toLowerCase(), header]))
        for (const [sent] of answer.headers) {
          if (UNDOCUMENTED.has(sent.toLowerCase())) continue
          assert.ok(documented.has(sent.toLowerCase()), `${of}: header ${sent} is documented`)
        }
        for (const header of documented.values()) {
          const { pointer: at, value: described } = resolve(`${pointer}/headers/${escapeStep(header)}`)
          const sent = answer.header(header)
          if (described.required) assert.ok(sent !== undefined, `${of}: header ${header} is required`)
          if (sent !== undefined && described.schema) {
            const number = resolve(`${at}/schema`).value.type === 'integer'
            validate(`${at}/schema`, number ? Number(sent) : sent, `${of}: header ${header}`)
          }
        }
      }

      function checkBody({ pointer, value }: { pointer: string; value: Json }, of: string): void {
        if (!value.content) {
          assert.equal(answer.body.length, 0, `${of}: no body is documented`)
          return
        }
        const mediaType = answer.header('content-type')?.split(';')[0] ?? ''
        assert.ok(value.content[mediaType], `${of}: a body of ${mediaType} is documented`)
        if (mediaType !== 'application/json') return
        // Big integers lose digits here, which a schema cannot detect; the tests of exact integers compare the digits.
        validate(`${pointer}/content/application~1json/schema`, answer.json, `${of}: body`)
      }
    },
  }
}

/** Headers of the transport, and those that only a setting adds. */
const UNDOCUMENTED = new Set([
  'connection',
  'keep-alive',
  'date',
  'content-length',
  'content-type',
  'transfer-encoding',
  'vary',
  'access-control-allow-origin',
  'access-control-expose-headers',
])

interface Template {
  template: string
  pattern: RegExp
}

/** Paths without a parameter are matched first (OpenAPI 3.1.1, section 4.8.8.1). */
function templatesOf({ paths }: Json): Template[] {
  const templates = Object.keys(paths).toSorted((one, other) => +one.includes('{') - +other.includes('{'))
  return templates.map(template => ({
    template,
    pattern: new RegExp(`^/v1${template.replaceAll('.', '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`),
  }))
}

function findOperation(document: Json, templates: readonly Template[], method: string, target: string) {
  const path = target.split('?')[0] ?? ''
  for (const { template, pattern } of templates) {
    if (!pattern.test(path)) continue
    const verbs = [method.toLowerCase(), ...(method === 'HEAD' ? ['get'] : [])]
    const verb = verbs.find(one => document.paths[template][one])
    if (verb) return `/paths/${escapeStep(template)}/${verb}`
  }
  return undefined
}

function at(document: Json, pointer: string): Json {
  return pointer
    .split('/')
    .slice(1)
    .reduce((value, step) => value?.[step.replaceAll('~1', '/').replaceAll('~0', '~')], document)
}

function escapeStep(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}
