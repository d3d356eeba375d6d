import { read } from './repository.ts'

/** The section of CHANGELOG.md for a version, without its heading. @throws if there is no dated section */
export function releaseNotes(version: string, changelog = read('CHANGELOG.md')): string {
  const sections = changelog.split(/^(?=## )/m)
  const section = sections.find(text => text.startsWith(`## ${version} - `))
  const [, notes] = /^## \S+ - \d{4}-\d\d-\d\d\n+(.+)/s.exec(section ?? '') ?? []
  if (!notes) throw new Error(`CHANGELOG.md has no section "## ${version} - YYYY-MM-DD".`)
  return `${notes.trim()}\n`
}
