/** The path of the page for unknown addresses, which is served at any other path. */
export const NOT_FOUND = '/404'
/** The placeholder in that page for the relative path to the root of the service, because the page is served at any depth. */
export const ROOT_MARK = '{root}'

/** The page of the clients on the public listener, and the folder of their files. */
export const CLIENTS_PATH = '/clients/'

/** The path of the console, relative to the root of the operators' listener. */
export const CONSOLE_PATH = '/console'

/** Limits the size of the page for very long paths. */
const MAX_DEPTH = 16

/** The relative path from a page to the root of the service, because a proxy may serve it under a path prefix. */
export function rootFrom(path: string): string {
  const depth = path.split('/').length - 2
  return depth > MAX_DEPTH ? '/' : '../'.repeat(depth)
}
