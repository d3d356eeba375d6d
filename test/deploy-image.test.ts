import assert from 'node:assert/strict'
import { test } from 'node:test'
import manifest from '../package.json' with { type: 'json' }
import { imageStages, imageText } from './support/dockerfile.ts'
import { contextFiles } from './support/image-context.ts'

// What the Dockerfile says. deploy-image.servers.test.ts builds the container without Docker, and runs it.

const stages = imageStages()
const image = stages.at(-1) ?? []

test("every stage uses the project's version of Node, and nothing runs as root", () => {
  const [version] = new Set(Object.values(manifest.optionalDependencies))
  assert.deepEqual(
    stages.map(([from]) => from?.text.replace(/ AS \w+$/, '')),
    Array.from({ length: 3 }, () => `node:${version}-trixie-slim`),
  )
  const [uid, gid] = imageText('USER').split(':').map(Number)
  assert.ok(uid && gid)
})

test('the image that is built from an archive differs only in where its files come from', () => {
  const [fromArchive = [], ...others] = imageStages('release/files/Dockerfile')
  assert.deepEqual(others, [])
  const common = (stage: typeof image) =>
    stage.filter(({ word, text }) => word !== 'COPY' && !/^(mkdir|ln|node) |node_modules/.test(text))
  assert.deepEqual(common(fromArchive), common(image))
})

const IN_THE_IMAGE =
  /^(bin\/|client\/|clients\/python\/|console\/|site\/|src\/|docs\/guides\/|deploy\/live\.js$|(package(-lock)?|tsconfig)\.json$|LICENSE$)/

test('the image is built from what the service, its console and its pages need, and nothing else', () => {
  const files = contextFiles()
  const strange = files.filter(file => !IN_THE_IMAGE.test(file))
  assert.deepEqual(strange, [])
  assert.deepEqual(
    files.filter(file => /\.(test|contract)\.ts$|store-contract|test_\w+\.py$|__pycache__/.test(file)),
    [],
  )
  for (const needed of [
    'bin/main.js',
    'bin/petstore.ts',
    'src/app/service.ts',
    'src/app/config.ts',
    'client/src/index.ts',
    'clients/python/src/petstore_client/py.typed',
    'console/src/main.ts',
    'deploy/live.js',
    'docs/guides/quick-start.md',
    'site/build.ts',
    'package.json',
  ]) {
    assert.ok(files.includes(needed), needed)
  }
})
