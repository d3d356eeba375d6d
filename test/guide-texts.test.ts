import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { PUBLIC_ERRORS } from '../src/domain/errors.ts'
import { type Guide, parseGuide } from '../src/guides/guide.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PAGES = globSync(['*.md', 'docs/*.md', 'docs/guides/*.md', '*/README.md'], { cwd: ROOT })
const TEXTS = new Map(await Promise.all(PAGES.map(async page => [page, await readFile(ROOT + page, 'utf8')] as const)))

test('every link from one text to another, or to a file, leads there', () => {
  const lost = [...TEXTS].flatMap(([page, text]) =>
    linksOf(text)
      .filter(link => !leadsSomewhere(page, link))
      .map(link => `${page}: ${link}`),
  )
  assert.deepEqual(lost, [])
})

test('the guide to errors has a section on every code, which begins with its status', () => {
  const { sections } = read('docs/guides/errors.md')
  const statuses = Object.fromEntries(
    sections.flatMap(({ heading, text }) => {
      const status = /^Status (\d+)\. .+ Do: /s.exec(text)?.[1]
      return heading && status !== undefined ? [[heading.text, Number(status)]] : []
    }),
  )
  assert.deepEqual(statuses, PUBLIC_ERRORS)
})

function linksOf(text: string): string[] {
  const prose = text.replaceAll(/^```.*?^```$|`[^`\n]*`/gms, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link).filter(link => !/^https?:/.test(link))
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : posix.join(posix.dirname(page), path)
  if (anchor === undefined) return globSync(target.replace(/\/$/, ''), { cwd: ROOT }).length > 0
  return TEXTS.has(target) && read(target).headings.some(heading => heading.anchor === anchor)
}

/** Read as the guides are, for its headings: of other texts the first paragraph is not asked for. */
function read(page: string): Guide {
  const text = TEXTS.get(page) ?? ''
  return parseGuide(page, page.startsWith('docs/guides/') ? text : `# Title\n\nSummary.\n\n${text}`)
}
