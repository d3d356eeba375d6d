/** The path of the list of guides of a listener, and the prefix of each guide's path. */
export const GUIDE_LIST = '/docs/guides'

/** The paths of the list, of the guides and of their Markdown. */
export function guidePaths(names: readonly string[]): string[] {
  const paths = names.map(name => `${GUIDE_LIST}/${name}`)
  return [GUIDE_LIST, ...paths, ...paths.map(path => `${path}.md`)]
}
