import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { bundle, findThreads, MAIN, nameOf, rewriteOwnFiles } from '../../release/bundle.ts'
import { ROOT } from '../../release/repository.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'

describe('the bundle', () => {
  let folder = ''
  let packages: readonly string[] = []
  const ended: (() => unknown)[] = []
  before(async () => {
    folder = join(await temporaryFolder({ after: end => void ended.push(end) }), 'app')
    packages = await bundle(folder)
  })
  after(async () => {
    for (const end of ended) await end()
  })

  test('has a file for every thread', () => {
    const threads = globSync('src/**/!(*.test).ts', { cwd: ROOT })
      .filter(file =>
        /\b(parentPort|workerData)\b.* from 'node:worker_threads'/.test(readFileSync(join(ROOT, file), 'utf8')),
      )
      .toSorted()
    assert.ok(threads.length >= 4)
    assert.deepEqual(findThreads(), threads, 'each thread is started by new URL(…, import.meta.url)')
    assert.deepEqual(
      threads.filter(thread => !existsSync(join(folder, nameOf(thread)))),
      [],
    )
  })

  test('has every migration and script that the stores read', () => {
    const needed = globSync('src/**/*.{sql,lua}', { cwd: ROOT })
    assert.ok(needed.length > 5)
    assert.deepEqual(
      needed.filter(file => readFileSync(join(ROOT, file), 'utf8') !== readFileSync(join(folder, file), 'utf8')),
      [],
    )
  })

  test('has no source and no test', () => {
    assert.deepEqual(globSync('**/*.ts', { cwd: folder }), [])
    assert.deepEqual(globSync('**/*{test,contract}*', { cwd: join(folder, 'src') }), [])
  })

  test('knows the packages that are in it, and has no tool', () => {
    const names = packages.map(path => path.replace('node_modules/', ''))
    for (const name of ['commander', 'pg', 'ioredis', 'pino', 'minisearch', 'react-dom'])
      assert.ok(names.includes(name), name)
    for (const name of ['esbuild', 'typescript', 'ajv-i18n', 'vite']) assert.ok(!names.includes(name), name)
  })

  test('serves every page with all its files', async t => {
    const serving = await serve(t, folder)
    for (const start of [`${serving.url}/`, `${serving.url}/docs/guides`, `${serving.operatorUrl}/`]) {
      const seen = await visitAll(start)
      assert.ok(seen.length > 3, `${start}: ${seen.join(' ')}`)
      if (start.startsWith(serving.operatorUrl))
        assert.ok(
          seen.some(one => one.includes('/console/assets/')),
          'the console',
        )
    }
    assert.match(await (await fetch(`${serving.url}/openapi.json`)).text(), /^\{"openapi":"3\.1/)
  })
})

test('a bundle only has the released files of a folder', async t => {
  const folder = join(await temporaryFolder(t), 'app')
  const [left, ...others] = globSync('src/sqlite/migrations/*.sql', { cwd: ROOT }).map(file =>
    file.replaceAll('\\', '/'),
  )
  assert.ok(left && others.length > 0)
  await bundle(folder, file => file !== left)
  assert.ok(!existsSync(join(folder, left)))
  assert.deepEqual(
    others.filter(file => !existsSync(join(folder, file))),
    [],
  )
})

test('a module that determines its own path in another way cannot be bundled', () => {
  assert.throws(
    () => rewriteOwnFiles(join(ROOT, 'src/x.ts'), 'const here = import.meta.dirname', new Set()),
    /src\/x\.ts/,
  )
  assert.throws(
    () => rewriteOwnFiles(join(ROOT, 'src/x.ts'), "new URL('missing.css', import.meta.url)", new Set()),
    /missing\.css, which does not exist/,
  )
})

test('files, folders, templates, packages and the compile cache get their paths in the bundle', () => {
  const files = new Set<string>()
  const rewrite = (source: string, text: string) => rewriteOwnFiles(join(ROOT, source), text, files)
  assert.equal(
    rewrite('src/sqlite/x.ts', "new URL('migrations/', import.meta.url)"),
    "new URL('src/sqlite/migrations/', import.meta.url)",
  )
  assert.equal(
    rewrite('src/sqlite/x.ts', "new URL('writer-thread.ts', import.meta.url)"),
    "new URL('sqlite-writer-thread.js', import.meta.url)",
  )
  assert.equal(
    rewrite('src/pages/x.ts', 'new URL(`assets/$' + '{name}`, import.meta.url)'),
    'new URL(`src/pages/assets/$' + '{name}`, import.meta.url)',
  )
  assert.equal(rewrite('src/app/x.ts', "new URL('../..', import.meta.url)"), "new URL('../', import.meta.url)")
  assert.match(
    rewrite('src/x.ts', "new URL(import.meta.resolve('minisearch'))"),
    /^new URL\('node_modules\/minisearch\//,
  )
  assert.equal(
    rewrite('bin/x.ts', "new URL('../node_modules/.cache/petstore', import.meta.url)"),
    "new URL('../cache/petstore', import.meta.url)",
  )
  assert.equal(files.size, 3)
})

/** Starts the service from a bundle. It ends with the test. */
async function serve(t: { after(end: () => unknown): void }, folder: string) {
  const data = await temporaryFolder(t)
  const env = { PATH: '', PETSTORE_DATA: data, PETSTORE_PORT: '0', PETSTORE_OPERATOR_PORT: '0' }
  const child = spawn(process.execPath, [join(folder, MAIN), 'serve'], { cwd: data, env })
  const end = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await end
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', text => {
      printed += text
    })
  }
  return eventually(() => {
    const [, url] = /"url":"([^"]+)"/.exec(printed) ?? []
    const [, operatorUrl] = /"operatorUrl":"([^"]+)"/.exec(printed) ?? []
    assert.ok(url && operatorUrl, printed)
    return { url, operatorUrl }
  })
}

/** Loads a page, all that it names on the same host, and the pages that these lead to. @returns what it loaded */
async function visitAll(start: string): Promise<string[]> {
  const { origin } = new URL(start)
  const seen = new Set([start])
  for (const address of seen) {
    const response = await fetch(address, { headers: { Accept: 'text/html' } })
    assert.equal(response.status, 200, address)
    const text = await response.text()
    if (!response.headers.get('content-type')?.includes('html')) continue
    const base = new URL(/<base href="([^"]+)"/.exec(text)?.[1] ?? '', address)
    for (const [, link = ''] of text.matchAll(/<(?!base )[^>]*(?:href|src)="([^"#?]+)/g)) {
      const { origin: where, pathname } = new URL(link, base)
      if (where === origin && !/^\/(v1|admin)\b/.test(pathname)) seen.add(origin + pathname)
    }
  }
  return [...seen]
}
