import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PAGE = join(import.meta.dirname, '../docs/performance.md')

/** Replaces what stands between `<!-- NAME -->` and `<!-- /NAME -->` in docs/performance.md, or adds it at the end. */
export function writeSection(name: string, text: string): void {
  const page = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '# Performance\n'
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const section = `${begin}\n\n${text.trim()}\n\n${end}`
  const [start, stop] = [page.indexOf(begin), page.indexOf(end)]
  const isThere = start >= 0 && stop > start
  const changed = isThere
    ? page.slice(0, start) + section + page.slice(stop + end.length)
    : `${page.trimEnd()}\n\n${section}\n`
  writeFileSync(PAGE, changed)
}

/** Writes a chart beside the pictures of the other documents. */
export function writeChart(name: string, svg: string): void {
  writeFileSync(join(import.meta.dirname, '../docs/images', name), svg)
}
