/** Pages and other texts of a listener, by path. */
export type Pages = Readonly<Record<string, string>>

/** In place of a path: the page for addresses where nothing is. */
export const NOT_FOUND = '404'
/** In that page, stands for the relative path to the root of the service: it is shown at any depth. */
export const ROOT_MARK = '{root}'

/** Every site has it: what its search looks in. */
export const SEARCH_INDEX = '/docs/search.json'

/** A longer path would only make the page long. */
const MAX_DEPTH = 16

/** The relative path from a page to the root of the service, because a proxy may serve it under a path prefix. */
export function rootFrom(path: string): string {
  const depth = path.split('/').length - 2
  return depth > MAX_DEPTH ? '/' : '../'.repeat(depth)
}
