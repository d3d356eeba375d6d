/** The first part of a path of the admin API, or a name for data that the console makes. Whatever changes a resource refreshes all data of it. */
export type Resource =
  | 'accounts'
  | 'audit'
  | 'bans'
  | 'categories'
  | 'charts'
  | 'claim-links'
  | 'doctor'
  | 'health'
  | 'imports'
  | 'keys'
  | 'pets'
  | 'session'
  | 'settings'
  | 'sources'
  | 'tokens'
  | 'usage'
  | 'version'

export type Path = `/${Resource}` | `/${Resource}/${string}`

declare const MADE: unique symbol

/** A key of the cache. Only this file can make one. */
export type Key = readonly [resource: Resource, path: Path, ...parts: unknown[]] & { readonly [MADE]: true }

/**
 * The key of some data.
 * @param parts what distinguishes it from other data of the same path; without any, it matches all data of this path
 */
export function cacheKey(path: Path, ...parts: readonly unknown[]): Key {
  return [path.split('/', 2)[1], path, ...parts] as unknown as Key
}
