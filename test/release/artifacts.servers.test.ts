import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { copyDocuments } from '../../release/artifacts.ts'
import { ROOT, trackedFiles } from '../../release/repository.ts'
import { temporaryFolder } from '../support/folder.ts'
import { needs } from '../support/servers/needs.ts'

// What is released from a copy of the repository in which operators and earlier builds have left files that git does not track.

const LEFT_BEHIND = [
  'deploy/tls/production/petstore.pem',
  'deploy/production.env',
  'deploy/notes.txt',
  'docs/guides/draft.md',
  'clients/python/src/petstore_client/left_behind.py',
]

test('an archive has what git tracks in deploy/ and docs/, and no key, password or draft', async t => {
  const copy = await copyRepository(t)
  if (!copy) return
  const folder = await temporaryFolder(t)
  copy.artifacts.copyDocuments(folder)
  const files = globSync('{deploy,docs}/**/*', { cwd: folder, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
  assert.ok(files.includes('deploy/compose.yaml'))
  assert.ok(files.includes('deploy/production.env.example'))
  assert.deepEqual(leftBehind(files), [])
})

test('every relative link in the archive has a target in it', async t => {
  const folder = await temporaryFolder(t)
  copyDocuments(folder)
  const pages = globSync('**/*.md', { cwd: folder })
  assert.ok(pages.includes('README.md') && pages.includes('docs/guides/operators/run-the-console.md'), pages.join(' '))
  const lost = pages.flatMap(page =>
    linksOf(readFileSync(join(folder, page), 'utf8'))
      .filter(link => !existsSync(join(folder, dirname(page), link)))
      .map(link => `${page} links to ${link}`),
  )
  assert.deepEqual(lost, [])
})

test('the archive has neither benchmarks nor decisions, and no page that needs them', async t => {
  const folder = await temporaryFolder(t)
  copyDocuments(folder)
  assert.deepEqual(globSync(['bench', 'docs/decisions'], { cwd: folder }), [])
  for (const page of globSync('**/*.md', { cwd: folder })) {
    assert.doesNotMatch(readFileSync(join(folder, page), 'utf8'), /\bbench\/|\bdecisions\/|\bdecision \d{4}/, page)
  }
})

test('the clients are not released with a file that git does not track', async t => {
  const copy = await copyRepository(t)
  if (!copy) return
  const leftBehind = 'clients/python/src/petstore_client/left_behind.py'
  await assert.rejects(copy.artifacts.packReleasedClients(), RegExp(`delete these files.*\n${leftBehind}\n$`))
  rmSync(join(copy.root, leftBehind))
  assert.equal((await copy.artifacts.packReleasedClients()).length, 2)
})

test('a client of another version is not released', async t => {
  const copy = await copyRepository(t)
  if (!copy) return
  rmSync(join(copy.root, 'clients/python/src/petstore_client/left_behind.py'))
  writeFileSync(join(copy.root, 'clients/python/src/petstore_client/_version.py'), "__version__ = '0.9.0'\n")
  await assert.rejects(copy.artifacts.packReleasedClients(), /they are .*petstore_client-0\.9\.0-/)
})

/** The files that a page links to, in Markdown and in HTML, without anchors. A link that begins with / leads to a page of the running service. */
function linksOf(markdown: string): string[] {
  const texts = markdown.replaceAll(/^```.*?^```$|`[^`\n]*`/gms, '')
  const links = texts.matchAll(/\]\(([^)\s]+)|^\[[^\]]+\]: *(\S+)|\b(?:href|src|srcset)="([^"\s]+)/gm)
  return [...links]
    .map(([, inline, reference, html]) => (inline ?? reference ?? html ?? '').replace(/#.*/, ''))
    .filter(link => link !== '' && !/^(?:[a-z]+:|\/)/.test(link))
}

interface Copy {
  root: string
  artifacts: typeof import('../../release/artifacts.ts')
}

/** A repository with the same files, and those that git does not track. */
async function copyRepository(t: TestContext): Promise<Copy | undefined> {
  if (!needs(t, 'git')) return undefined
  const root = await temporaryFolder(t)
  for (const file of trackedFiles()) cpSync(join(ROOT, file), join(root, file))
  for (const command of ['init', 'add .']) execFileSync('git', command.split(' '), { cwd: root, stdio: 'pipe' })
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  for (const file of LEFT_BEHIND) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), 'left behind')
  }
  return { root, artifacts: await import(pathToFileURL(join(root, 'release/artifacts.ts')).href) }
}

function leftBehind(files: readonly string[]): string[] {
  return files.filter(file => LEFT_BEHIND.includes(file))
}
