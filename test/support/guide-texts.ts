import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Lexer, type Tokens } from 'marked'
import { type Guide, parseGuide } from '../../site/guides/guide.ts'

/** The project's folder. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = 'docs/guides/'
const OF_OPERATORS = `${FOLDER}operators/`
const DOCUMENTS = ['*.md', 'docs/*.md', '{docs/decisions,docs/operations}/*.md', '*/README.md', 'clients/*/README.md']
const PAGES = globSync([...DOCUMENTS, `${FOLDER}*.md`, `${OF_OPERATORS}*.md`], { cwd: ROOT })

/** Every document with links to others, by its path. */
export const TEXTS: ReadonlyMap<string, string> = new Map(
  await Promise.all(PAGES.map(async page => [page, await readFile(ROOT + page, 'utf8')] as const)),
)

/** The names of the existing guides; those for operators begin with `operators/`. */
export const GUIDE_FILES: readonly string[] = PAGES.filter(page => page.startsWith(FOLDER)).map(page =>
  page.slice(FOLDER.length, -'.md'.length),
)

/** The Markdown of a guide. */
export function textOf(guide: string): string {
  const text = TEXTS.get(pathOf(guide))
  if (text === undefined) throw new Error(`There is no guide ${guide}.`)
  return text
}

/** Parses a page like a guide, for its headings. Other documents need no first paragraph. */
export function readPage(page: string): Guide {
  const text = TEXTS.get(page) ?? ''
  return parseGuide(page, page.startsWith(FOLDER) ? text : `# Title\n\nSummary.\n\n${text}`)
}

/** The text below a heading of a guide. */
export function sectionOf(guide: string, title: string): string {
  return readPage(pathOf(guide)).sections.find(({ heading }) => heading?.text === title)?.text ?? ''
}

/** The rows, without the header, of the first table below a second-level heading. */
export function tableIn(guide: string, title: string): readonly string[][] {
  const [, section = ''] = textOf(guide).split(`\n## ${title}\n`)
  const [table = []] = tablesIn(section)
  return table.slice(1)
}

/** The cells of each table, as Markdown, the header first. */
export function tablesIn(markdown: string): readonly string[][][] {
  const tables = Lexer.lex(markdown).filter((token): token is Tokens.Table => token.type === 'table')
  return tables.map(({ header, rows }) => [header, ...rows].map(cells => cells.map(({ text }) => text)))
}

/** The texts between backticks. */
export function codesIn(markdown: string): string[] {
  return [...markdown.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
}

function pathOf(guide: string): string {
  return `${FOLDER}${guide}.md`
}
