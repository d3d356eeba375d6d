import type { Awaitable } from './awaitable.ts'
import type { Answer, Call } from './call.ts'

/** One operation: what a method does on a path. */
export interface Operation {
  /** As the contract names it; undefined for the pages around the API. */
  id?: string
  handle(call: Call, parameter: string): Awaitable<Answer>
  /** For an operation that takes a body: refuses what cannot be one, before the body is read. */
  checkMediaType?(call: Call): void
}

/** One path with its methods. HEAD is answered wherever GET is. */
export interface Route {
  /** The path, or a path that ends in `/{parameter}`. */
  path: string
  operations: Readonly<Record<string, Operation>>
  /** Headers of every answer on this path, refusals included. */
  headers?: readonly string[]
}

export interface FoundRoute {
  route: Route
  /** What stands in the place of `{…}`; empty where the path has none. */
  parameter: string
}

/** Finds routes by the exact path: no folding of case, slashes or percent-encoding. */
export function buildRouter(routes: readonly Route[]): (path: string) => FoundRoute | undefined {
  const exact = new Map<string, FoundRoute>()
  const prefixes = new Map<string, Route>()
  for (const route of routes) {
    const brace = route.path.indexOf('{')
    if (brace < 0) exact.set(route.path, { route, parameter: '' })
    else prefixes.set(route.path.slice(0, brace), route)
  }
  return path => {
    const found = exact.get(path)
    if (found) return found
    const slash = path.lastIndexOf('/') + 1
    const route = prefixes.get(path.slice(0, slash))
    return route && slash < path.length ? { route, parameter: path.slice(slash) } : undefined
  }
}

/** The operation of a method on this path, if there is one. */
export function operationOf({ operations }: Route, method: string): Operation | undefined {
  return operations[method === 'HEAD' ? 'GET' : method]
}

/** The value of `Allow` (RFC 9110, section 10.2.1). */
export function allowedMethods({ operations }: Route): string {
  return Object.keys(operations)
    .flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .concat('OPTIONS')
    .join(', ')
}
