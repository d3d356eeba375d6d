import { readdirSync } from 'node:fs'
import { matchesGlob } from 'node:path'
import { ROOT, read } from '../../release/repository.ts'

/** The files in Docker's build context. As in Docker, the last .dockerignore rule that matches a path or one of its parent folders decides. */
export function contextFiles(): string[] {
  const rules = read('.dockerignore')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => ({ pattern: line.replace(/^!/, ''), isKept: line.startsWith('!') }))
  const matches = (file: string, pattern: string) => {
    // Unlike Docker's, Node's patterns do not match names that start with a dot.
    const parts = file.split('/').map(part => part.replace(/^\./, ''))
    return parts.some((_, index) => matchesGlob(parts.slice(0, index + 1).join('/'), pattern))
  }
  const isKept = (file: string) => rules.findLast(({ pattern }) => matches(file, pattern))?.isKept ?? true
  return filesUnder('').filter(isKept)
}

/** Skips folders that are not in the repository and never reach the image. */
function filesUnder(path: string): string[] {
  return readdirSync(ROOT + path, { withFileTypes: true }).flatMap(entry => {
    const own = path + entry.name
    if (entry.isDirectory()) return ['node_modules', '.git', 'dist'].includes(entry.name) ? [] : filesUnder(`${own}/`)
    return [own]
  })
}
