import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { hasPlaceholder } from '../src/pages/placeholders.ts'
import { temporaryFolder } from '../test/support/folder.ts'
import { buildSite } from './build.ts'
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
  const files = filesOf(dist)
  const names = [...files.keys()].filter(name => !/\.(?:br|gz)$/.test(name) && name !== 'built.json')
  assert.ok(names.length > 40)
  for (const name of names) {
    const content = files.get(name) as Buffer
    const [br, gzip] = [files.get(`${name}.br`), files.get(`${name}.gz`)]
    if (hasPlaceholder(content.toString())) assert.deepEqual([br, gzip], [undefined, undefined], name)
    else {
      assert.deepEqual(brotliDecompressSync(br as Buffer), content, name)
      assert.deepEqual(gunzipSync(gzip as Buffer), content, name)
    }
  }
})

test('a text that is searched contains no address that is only known later', () => {
  const text = 'See https://service.placeholder.invalid/docs.'
  assert.throws(() => buildSearchIndex([{ href: '', page: '', heading: '', text, words: '' }]), /move it into a sample/)
})

function filesOf(folder: string): Map<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const names = entries.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).toSorted()
  return new Map(names.map(name => [name, readFileSync(join(folder, name))]))
}
