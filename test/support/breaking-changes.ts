// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked, not modelled
type Json = any

/** Whether a part of the document is about what clients send or about what they receive. */
type Direction = 'sent' | 'received'

/** The location in the document, for people: the operation, then the steps to the part. */
type Place = readonly string[]

import { EDGE_TEXTS } from './edge-texts.ts'

/** Texts for people, which may be reworded. */
const PROSE = new Set(['description', 'summary', 'example', 'examples', 'title'])
/** Their members can have any name, even "description". */
const NAME_TABLES = new Set(['properties', 'headers', 'parameters'])

/**
 * What `today` removes from `released` or changes in it, one line each. Inside a version there are only additions: new optional
 * parameters, members, headers and codes (contract, "Deployments and versions"). Anything else is a breaking change.
 */
export function findBreaks(released: Json, today: Json): string[] {
  const breaks: string[] = []
  compare(released.security, today.security, ['security'], 'sent')
  compare(released.components.securitySchemes, today.components.securitySchemes, ['securitySchemes'], 'sent')
  for (const [path, operations] of Object.entries<Json>(released.paths)) {
    for (const [method, operation] of Object.entries<Json>(operations)) {
      const later = today.paths[path]?.[method]
      const place = [`${method.toUpperCase()} ${path}`]
      if (later) compareOperation(resolve(operation, released), resolve(later, today), place)
      else report(place, 'is gone')
    }
  }
  return breaks

  function compareOperation(was: Json, is: Json, place: Place): void {
    compare(was.operationId, is.operationId, [...place, 'operationId'], 'sent')
    compare(was['x-sunset'], is['x-sunset'], [...place, 'x-sunset'], 'received')
    compare(byName(was.parameters), byName(is.parameters), [...place, 'parameters'], 'sent')
    compare(was.requestBody, is.requestBody, [...place, 'requestBody'], 'sent')
    compare(was.responses, is.responses, [...place, 'responses'], 'received')
  }

  function compare(was: Json, is: Json, place: Place, direction: Direction): void {
    const key = place.at(-1)
    if (was === undefined) {
      if (is !== undefined && !isAddition(is, place, direction)) report(place, 'is new')
    } else if (is === undefined) {
      if (!isRemark(place, direction)) report(place, 'is gone')
    } else if (key === 'enum' || key === 'x-extensible-enum') {
      compareValues(was, is, place)
    } else if (key === 'required' && Array.isArray(was)) {
      compareRequired(was, is, place, direction)
    } else if (typeof was === 'object' && was !== null) {
      for (const member of new Set([...Object.keys(was), ...Object.keys(is)])) {
        if (PROSE.has(member) && !NAME_TABLES.has(key ?? '')) continue
        if (member === 'pattern' && was.pattern && is.pattern) comparePatterns(was, is, place)
        else compare(was[member], is[member], [...place, member], direction)
      }
    } else if (was !== is) {
      report(place, `was ${was} and is ${is}`)
    }
  }

  /** No value is removed, and values are only added to an open list, such as that of the codes. */
  function compareValues(was: string[], is: string[], place: Place): void {
    for (const value of was.filter(one => !is.includes(one))) report([...place, value], 'is gone')
    if (place.at(-1) === 'x-extensible-enum') return
    for (const value of is.filter(one => !was.includes(one))) report([...place, value], 'is new')
  }

  /** A pattern may be written in another way that more tools understand, as long as it accepts the same texts. */
  function comparePatterns(was: Json, is: Json, place: Place): void {
    const text = EDGE_TEXTS.find(one => accepts(was, one) !== accepts(is, one))
    if (text !== undefined) report([...place, 'pattern'], `has changed for ${JSON.stringify(text)}`)
  }

  /** A client does not have to send more than before, and does not receive less. */
  function compareRequired(was: string[], is: string[], place: Place, direction: Direction): void {
    const [more, less] = direction === 'sent' ? [is, was] : [was, is]
    for (const member of more.filter(one => !less.includes(one))) {
      report([...place, member], direction === 'sent' ? 'is new' : 'is gone')
    }
  }

  function report(place: Place, what: string): void {
    breaks.push(`${place.join(' ')} ${what}`)
  }
}

/** Responses may have anything new; requests only an optional parameter or a member. */
function isAddition(value: Json, place: Place, direction: Direction): boolean {
  const table = place.at(-2)
  return direction === 'received' || (table === 'parameters' && !value.required) || table === 'properties'
}

function accepts({ pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Json, text: string): boolean {
  const length = [...text].length
  return length >= minLength && length <= maxLength && new RegExp(pattern, 'u').test(text)
}

/**
 * Whether it can be removed without a change: the default of an optional member of a body only documents what the service does, which it still does
 * (contract/create-pet.test.ts). Generators read it as a promise that the member is present, and made clients send it.
 */
function isRemark(place: Place, direction: Direction): boolean {
  return direction === 'sent' && place.at(-1) === 'default' && place.at(-3) === 'properties'
}

function byName(parameters: Json[] = []): Json {
  return Object.fromEntries(parameters.map(parameter => [`${parameter.in} ${parameter.name}`, parameter]))
}

/** The document with all references resolved. */
function resolve(value: Json, document: Json): Json {
  if (Array.isArray(value)) return value.map(item => resolve(item, document))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...own } = value
  const members = Object.entries(own).map(([key, member]) => [key, resolve(member, document)])
  return { ...(typeof $ref === 'string' ? resolve(at($ref, document), document) : {}), ...Object.fromEntries(members) }
}

function at(ref: string, document: Json): Json {
  const steps = ref.split('/').slice(1)
  return steps.reduce((value, step) => value[step], document)
}
