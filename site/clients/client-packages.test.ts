import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { globSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { unzipSync } from 'fflate'
import { unpackTar } from 'modern-tar'
import clientManifest from '../../client/package.json' with { type: 'json' }
import { temporaryFolder } from '../../test/support/folder.ts'
import { packClients } from './client-packages.ts'

// test/clients.servers.test.ts installs both packages.

const ROOT = join(import.meta.dirname, '../..')
const { typescript, python } = await packClients()

test('the same sources give the same bytes, and each package has its sum', async () => {
  const again = await packClients()
  for (const [one, other] of [
    [typescript, again.typescript],
    [python, again.python],
  ] as const) {
    assert.ok(Buffer.from(one.content).equals(other.content), one.name)
    assert.equal(one.sha256, hash('sha256', one.content))
  }
})

test('the packages have the names that npm and pip expect of this version', () => {
  const { version } = clientManifest
  assert.equal(typescript.name, `petstore-client-${version}.tgz`)
  assert.equal(python.name, `petstore_client-${version.replace(/-dev$/, '.dev0')}-py3-none-any.whl`)
})

test('the npm package has each module with its types, and they name each other by names that exist', async t => {
  const entries = await unpackTar(gunzipSync(typescript.content), { strip: 1 })
  const files = new Map(entries.map(({ header, data }) => [header.name, new TextDecoder().decode(data)]))
  const modules = globSync('*.ts', { cwd: join(ROOT, 'client/src'), exclude: ['*.test.ts'] })
  const built = modules.flatMap(module => ['.js', '.d.ts'].map(end => `dist/${module.replace(/\.ts$/, end)}`))
  assert.deepEqual([...files.keys()].toSorted(), ['LICENSE', 'README.md', ...built, 'package.json'].toSorted())
  for (const [file, text] of files) {
    if (!file.startsWith('dist/')) continue
    for (const [, name = ''] of text.matchAll(/\bfrom ["']\.\/([^"']+)["']/g)) {
      assert.match(name, /\.js$/, file)
      assert.ok(files.has(`dist/${name}`), `${file} imports ${name}`)
    }
  }

  const folder = await temporaryFolder(t)
  for (const [file, text] of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
  const { PetstoreClient } = await import(pathToFileURL(join(folder, 'dist/index.js')).href)
  assert.throws(() => new PetstoreClient({ baseUrl: 'x', apiKey: 'y' }), /baseUrl must be an address/)
})

test('the wheel records every file with its size and sum, and nothing else', () => {
  const files = Object.entries(unzipSync(python.content))
  const [record = ''] = files
    .filter(([path]) => path.endsWith('/RECORD'))
    .map(([, body]) => Buffer.from(body).toString())
  const expected = files.map(([path, body]) =>
    path.endsWith('/RECORD') ? `${path},,` : `${path},sha256=${hash('sha256', body, 'base64url')},${body.length}`,
  )
  assert.deepEqual(record.trimEnd().split('\n'), expected)
  const modules = globSync('petstore_client/**/*.{py,typed}', { cwd: join(ROOT, 'clients/python/src') })
  assert.deepEqual(
    files.map(([path]) => path).filter(path => path.startsWith('petstore_client/')),
    modules.toSorted(),
  )
})
