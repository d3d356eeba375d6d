import type { Answer } from './answer.ts'
import type { Awaitable } from './awaitable.ts'
import type { Call } from './call.ts'
import { preparedLinesOf } from './header-lines.ts'
import { Refusal } from './refusal.ts'

/** One operation: what a method does on a path. */
export interface Operation<OwnCall extends Call = Call> {
  /** Its name in the contract; undefined for pages. */
  id?: string
  /** @param parameters the values of the path's `{…}` */
  handle(call: OwnCall, ...parameters: string[]): Awaitable<Answer>
}

/** One path with its methods. HEAD is answered wherever GET is. */
export interface Route<OwnCall extends Call = Call> {
  /** The path; a segment of it may be `{parameter}`. */
  path: string
  operations: Readonly<Record<string, Operation<OwnCall>>>
  /** Headers of every answer on this path, including refusals. */
  headers?: readonly string[]
}

interface FoundRoute<OwnCall extends Call = Call> {
  route: Route<OwnCall>
  /** Its headers as lines. */
  lines: string
  /** The values of the path's `{…}`. */
  parameters: readonly string[]
}

type FindRoute<OwnCall extends Call = Call> = (path: string) => FoundRoute<OwnCall> | undefined

/** Finds routes by the exact path: case and slashes must match. */
export function buildRouter<OwnCall extends Call>(routes: readonly Route<OwnCall>[]): FindRoute<OwnCall> {
  const exact = new Map<string, FoundRoute<OwnCall>>()
  const templates: { route: Route<OwnCall>; lines: string; pattern: RegExp }[] = []
  for (const route of routes) {
    const lines = preparedLinesOf(route.headers ?? [])
    if (route.path.includes('{')) templates.push({ route, lines, pattern: patternOf(route.path) })
    else exact.set(route.path, { route, lines, parameters: [] })
  }
  return path => {
    const found = exact.get(path)
    if (found) return found
    for (const { route, lines, pattern } of templates) {
      const match = pattern.exec(path)
      if (match) return { route, lines, parameters: match.slice(1) }
    }
    return undefined
  }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${RegExp.escape(path).replaceAll(/\\\{.*?\\\}/g, '([^/]+)')}$`)
}

/**
 * Builds routes from a table with one row per operation. Their paths are below `base`.
 * @throws Error if two rows have the same method and path, or the same id
 */
export function buildRoutes<Row extends { id: string; method: string; path: string }, OwnCall extends Call>(
  base: string,
  table: readonly Row[],
  serve: (row: Row) => Operation<OwnCall>,
): Route<OwnCall>[] {
  for (const nameOf of [({ id }: Row) => id, ({ method, path }: Row) => `${method} ${path}`]) {
    const names = table.map(nameOf)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined) throw new Error(`Two operations are ${twice}.`)
  }
  const byPath = Object.groupBy(table, ({ path }) => path)
  return Object.entries(byPath).map(([path, rows = []]) => ({
    path: base + path,
    operations: Object.fromEntries(rows.map(row => [row.method, serve(row)])),
  }))
}

export function operationOf<OwnCall extends Call>(
  { operations }: Route<OwnCall>,
  method: string,
): Operation<OwnCall> | undefined {
  return operations[method === 'HEAD' ? 'GET' : method]
}

/** @throws Refusal method_not_allowed */
export function requireOperation<OwnCall extends Call>(route: Route<OwnCall>, method: string): Operation<OwnCall> {
  const operation = operationOf(route, method)
  if (operation) return operation
  const allowed = allow(Object.keys(route.operations))
  throw new Refusal('method_not_allowed', `This path allows ${allowed}.`, { headers: { Allow: allowed } })
}

/**
 * The answer to OPTIONS on a path, or on `*`.
 * @param anywhere the methods that at least one path allows
 */
export function optionsAnswer(route: Route | undefined, anywhere: string): Answer {
  return { status: 204, headers: ['Allow', route ? allow(Object.keys(route.operations)) : anywhere], body: '' }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The methods that at least one path of a table allows. */
export function methodsOf(table: readonly { method: string }[]): string {
  return allow(METHODS.filter(method => table.some(row => row.method === method)))
}

/** The value of `Allow` (RFC 9110, section 10.2.1). */
function allow(methods: readonly string[]): string {
  return [...methods.flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ')
}
