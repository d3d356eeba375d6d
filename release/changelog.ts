import { read } from './repository.ts'

/** What CHANGELOG.md says about a version, without its heading. @throws if it has no dated section */
export function releaseNotes(version: string, changelog = read('CHANGELOG.md')): string {
  const sections = changelog.split(/^(?=## )/m)
  const section = sections.find(text => text.startsWith(`## ${version} - `))
  const [, notes] = /^## \S+ - \d{4}-\d\d-\d\d\n+(.+)/s.exec(section ?? '') ?? []
  if (!notes) throw new Error(`CHANGELOG.md has no section "## ${version} - YYYY-MM-DD".`)
  return `${notes.trim()}\n`
}
