import { read } from './repository.ts'

/**
 * The section of CHANGELOG.md for a version, without its heading. For a development version, that is "Unreleased".
 * @throws if there is no such section, or it is empty or has no date
 */
export function releaseNotes(version: string, changelog = read('CHANGELOG.md')): string {
  const isDevelopment = version.endsWith('-dev')
  const heading = isDevelopment ? /^## Unreleased\n+(.+)/s : /^## \S+ - \d{4}-\d\d-\d\d\n+(.+)/s
  const sections = changelog.split(/^(?=## )/m)
  const section = sections.find(text => text.startsWith(isDevelopment ? '## Unreleased' : `## ${version} - `))
  const [, notes] = heading.exec(section ?? '') ?? []
  const title = isDevelopment ? 'Unreleased' : `${version} - YYYY-MM-DD`
  if (!notes) throw new Error(`CHANGELOG.md has no section "## ${title}", or it is empty.`)
  return `${notes.trim()}\n`
}
