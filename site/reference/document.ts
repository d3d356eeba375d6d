/** The parts of an OpenAPI document that the reference shows. */
export interface Document {
  info: { title: string; summary: string; description: string }
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  components: {
    securitySchemes: Readonly<Record<string, { description: string }>>
    schemas: Readonly<Record<string, Schema>>
  }
}

export interface Schema {
  $ref?: string
  description?: string
  type?: string
  format?: string
  enum?: readonly unknown[]
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  oneOf?: readonly Schema[]
  anyOf?: readonly Schema[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  default?: unknown
}

/** Values by the names of their examples. */
type Examples = Readonly<Record<string, { summary?: string; value: unknown }>>

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  description?: string
  required?: boolean
  schema: Schema
  examples?: Examples
}

/** By media type. */
type Content = Readonly<Record<string, { schema: Schema; examples?: Examples }>>

export interface Body {
  description?: string
  content: Content
}

export interface Response {
  description: string
  headers?: Readonly<Record<string, { description: string }>>
  content?: Content
}

interface Described {
  operationId: string
  summary: string
  description: string
  tags: readonly string[]
  deprecated?: boolean
  security?: readonly unknown[]
  parameters?: readonly Parameter[]
  requestBody?: Body
  responses: Readonly<Record<string, Response>>
}

export interface Operation extends Described {
  /** In upper case. */
  method: string
  path: string
  isOpen: boolean
}

/** The operations of a document, in its order. References are resolved, except those to schemas. */
export function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => {
      const operation = dereference(document, described)
      return { ...operation, method: method.toUpperCase(), path, isOpen: operation.security?.length === 0 }
    }),
  )
}

/** The media type of JSON. Content of any other type is shown as text. */
export const JSON_TYPE = 'application/json'

/** The name of the schema that a reference points to; undefined if this is not a reference. */
export function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.split('/').at(-1)
}

function dereference<Part>(document: Document, part: Part): Part {
  if (Array.isArray(part)) return part.map(item => dereference(document, item)) as Part
  if (typeof part !== 'object' || part === null) return part
  const { $ref } = part as { $ref?: unknown }
  if (typeof $ref === 'string' && !$ref.startsWith('#/components/schemas/')) {
    return dereference(document, find(document, $ref)) as Part
  }
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, dereference(document, value)])) as Part
}

function find(document: object, reference: string): unknown {
  const steps = reference.split('/').slice(1)
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], document)
}
