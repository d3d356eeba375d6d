import { Refusal } from '../domain/errors.ts'
import type { Awaitable } from './awaitable.ts'
import type { Answer, Call } from './call.ts'

/** One operation: what a method does on a path. */
export interface Operation {
  /** As the contract names it; undefined for the pages around the API. */
  id?: string
  /** @param parameters what stands in the places of the path's `{…}` */
  handle(call: Call, ...parameters: string[]): Awaitable<Answer>
  /** For an operation that takes a body: refuses what cannot be one, before the body is read. */
  checkMediaType?(call: Call): void
}

/** One path with its methods. HEAD is answered wherever GET is. */
export interface Route {
  /** The path; a segment of it may be `{parameter}`. */
  path: string
  operations: Readonly<Record<string, Operation>>
  /** Headers of every answer on this path, refusals included. */
  headers?: readonly string[]
}

export interface FoundRoute {
  route: Route
  /** What stands in the places of the path's `{…}`. */
  parameters: readonly string[]
}

/** Finds routes by the exact path: no folding of case or slashes. */
export function buildRouter(routes: readonly Route[]): (path: string) => FoundRoute | undefined {
  const exact = new Map<string, FoundRoute>()
  const templates: { route: Route; pattern: RegExp }[] = []
  for (const route of routes) {
    if (route.path.includes('{')) templates.push({ route, pattern: patternOf(route.path) })
    else exact.set(route.path, { route, parameters: [] })
  }
  return path => {
    const found = exact.get(path)
    if (found) return found
    for (const { route, pattern } of templates) {
      const match = pattern.exec(path)
      if (match) return { route, parameters: match.slice(1) }
    }
    return undefined
  }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${RegExp.escape(path).replaceAll(/\\\{.*?\\\}/g, '([^/]+)')}$`)
}

/** The ids of all operations that have one. */
export function operationIds(routes: readonly Route[]): string[] {
  return routes.flatMap(({ operations }) => Object.values(operations).flatMap(({ id }) => id ?? []))
}

/** The operation of a method on this path, if there is one. */
export function operationOf({ operations }: Route, method: string): Operation | undefined {
  return operations[method === 'HEAD' ? 'GET' : method]
}

/** @throws Refusal method_not_allowed */
export function requireOperation(route: Route, method: string): Operation {
  const operation = operationOf(route, method)
  if (operation) return operation
  const allow = allowedMethods(route)
  throw new Refusal('method_not_allowed', `This path allows ${allow}.`, { headers: { Allow: allow } })
}

/**
 * What OPTIONS is answered on a path, or on `*`.
 * @param anywhere every method that some path has
 */
export function optionsAnswer(route: Route | undefined, anywhere: string): Answer {
  const allow = route ? allowedMethods(route) : anywhere
  return { status: 204, headers: ['Allow', allow], body: '' }
}

/** The value of `Allow` (RFC 9110, section 10.2.1). */
function allowedMethods({ operations }: Route): string {
  return Object.keys(operations)
    .flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .concat('OPTIONS')
    .join(', ')
}
