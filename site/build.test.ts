import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { after, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { hasPlaceholder } from '../src/pages/placeholders.ts'
import { temporaryFolder } from '../test/support/folder.ts'
import { buildSite, SOURCES } from './build.ts'
import { buildSearchIndex } from './search-index.ts'

const dist = await temporaryFolder({ after })
const messages: string[] = []
const build = () => buildSite(dist, message => messages.push(message))

test('a build says that it builds; the same sources are not built again, and give the same files', async t => {
  await build()
  assert.deepEqual(messages, ['Building the pages …'])
  await build()
  assert.equal(messages.length, 1)
  const other = await temporaryFolder(t)
  await buildSite(other)
  assert.deepEqual(filesOf(other), filesOf(dist))
})

test('a build of other sources replaces the files and deletes old ones', async () => {
  const before = filesOf(dist)
  const built = join(dist, 'built.json')
  writeFileSync(built, JSON.stringify({ ...JSON.parse(readFileSync(built, 'utf8')), sources: 'others' }))
  writeFileSync(join(dist, 'public/docs/guides/old.html'), '')
  await build()
  assert.deepEqual(filesOf(dist), before)
})

test('a file is compressed ahead exactly if it is final', () => {
  const names = [...filesOf(dist).keys()]
  const read = (name: string) => readFileSync(join(dist, name))
  const contents = names.filter(name => !/\.(?:br|gz)$|^clients\//.test(name) && name !== 'built.json')
  assert.ok(contents.length > 40)
  for (const name of contents) {
    const content = read(name)
    const compressed = [`${name}.br`, `${name}.gz`].filter(one => names.includes(one))
    assert.equal(compressed.length, hasPlaceholder(content.toString()) ? 0 : 2, name)
    // Without the difference between the two, which would take minutes to describe.
    for (const one of compressed) {
      const unpacked = one.endsWith('.br') ? brotliDecompressSync(read(one)) : gunzipSync(read(one))
      assert.ok(unpacked.equals(content), one)
    }
  }
})

test('a change to any file that the packages of the clients contain builds again', () => {
  const contained = globSync(
    ['client/{LICENSE,*.md,package.json,src/*.ts}', 'clients/python/{LICENSE,*.md,*.toml,src/**/*.{py,typed}}'],
    { cwd: join(import.meta.dirname, '..') },
  )
  assert.ok(contained.length > 40)
  for (const file of contained)
    assert.ok(
      SOURCES.some(pattern => matchesGlob(file, pattern)),
      file,
    )
})

test('the packages of the clients are stored by their sums, and not compressed again', () => {
  const stored = [...filesOf(dist)].filter(([name]) => name.startsWith('clients/'))
  assert.equal(stored.length, 2)
  for (const [name, sum] of stored) assert.match(name, RegExp(`^clients/${sum}-petstore.client-.*\\.(?:tgz|whl)$`))
})

test('a text that is searched contains no address that is only known later', () => {
  const text = 'See https://service.placeholder.invalid/docs.'
  assert.throws(() => buildSearchIndex([{ href: '', page: '', heading: '', text, words: '' }]), /move it into a sample/)
})

/** The hashes of the files below a folder, by name. */
function filesOf(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const names = entries.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).toSorted()
  return new Map(names.map(name => [name, hash('sha256', readFileSync(join(folder, name)))]))
}
