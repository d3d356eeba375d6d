/** The page that lists the guides of a listener; each of them is below it. */
export const GUIDE_LIST = '/docs/guides'

/** The paths of all that a site has for these guides. */
export function guidePaths(names: readonly string[]): string[] {
  const paths = names.map(name => `${GUIDE_LIST}/${name}`)
  return [GUIDE_LIST, ...paths, ...paths.map(path => `${path}.md`)]
}
