import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Replaces the text between `<!-- NAME -->` and `<!-- /NAME -->` in a document in docs/, or appends it. */
export function writeSection(name: string, text: string, document: string): void {
  const file = join(import.meta.dirname, '../../docs', document)
  const page = readFileSync(file, 'utf8')
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const section = `${begin}\n\n${text.trim()}\n\n${end}`
  const [start, stop] = [page.indexOf(begin), page.indexOf(end)]
  const isThere = start >= 0 && stop > start
  const changed = isThere
    ? page.slice(0, start) + section + page.slice(stop + end.length)
    : `${page.trimEnd()}\n\n${section}\n`
  writeFileSync(file, changed)
}

/** Writes a chart into docs/images/. */
export function writeChart(name: string, svg: string): void {
  writeFileSync(join(import.meta.dirname, '../../docs/images', name), svg)
}
