import { buildRoutes, methodsOf, type Route } from '../http/routes.ts'
import { CLIENTS_PATH } from '../pages/paths.ts'
import type { PublicCall } from './call.ts'
import { deprecationHeaders } from './deprecation.ts'
import type { Context, PublicOperation } from './operation.ts'
import { createPet, getPet, listPets } from './pets.ts'

/**
 * Every operation of the public API. Routes, checks, the OpenAPI document, metric labels and CORS headers are derived from this list. The
 * paths are below /v1, and every call needs an API key.
 */
export const OPERATIONS: readonly PublicOperation[] = [listPets, createPet, getPet]

export const METHODS = methodsOf(OPERATIONS)

const V1 = '/v1'

export function needsKey(path: string): boolean {
  return path === V1 || path.startsWith(`${V1}/`)
}

/** Whether calls of an existing path are not counted: a program must be able to get its client whatever its network has called. */
export function isFree(path: string): boolean {
  return path.startsWith(CLIENTS_PATH)
}

export function publicRoutes(context: Context): Route<PublicCall>[] {
  const { baseUrl } = context
  const deprecated = new Set(OPERATIONS.flatMap(({ isDeprecated, path }) => (isDeprecated ? [V1 + path] : [])))
  const routes = buildRoutes(V1, OPERATIONS, operation => operation.serve(context))
  return routes.map(route => (deprecated.has(route.path) ? { ...route, headers: deprecationHeaders(baseUrl) } : route))
}
