import assert from 'node:assert/strict'
import { test } from 'node:test'
import manifest from '../../package.json' with { type: 'json' }
import { toPython } from '../../release/repository.ts'
import { LANGUAGES } from './read-samples.ts'
import { CODE } from './sample-texts.ts'

test('all runnable code is a sample', () => {
  assert.deepEqual(
    CODE.flatMap(({ others }) => others).filter(other => !other.startsWith('deploy/')),
    OTHERS,
  )
})

test('no code is in a list or a quotation, where it would not be tested', () => {
  assert.deepEqual(
    CODE.flatMap(({ nested }) => nested),
    [],
  )
})

test('guides show our clients first and HTTP second', () => {
  const guides = CODE.flatMap(({ samples }) => samples).filter(({ file }) => file.startsWith('docs/guides/'))
  const groups = Map.groupBy(guides, ({ answer }) => answer).values()
  for (const group of groups) {
    const order = group.map(({ language }) => LANGUAGES.indexOf(language))
    assert.deepEqual(order, order.toSorted(), group.map(({ place }) => place).join())
  }
  const others = guides.filter(
    ({ language, code }) => language !== 'sh' && !/petstore\/client|petstore_client/.test(code),
  )
  assert.deepEqual(
    others.map(({ file, heading, language }) => `${file} ${heading}: ${language}`),
    WITHOUT_CLIENT,
  )
})

/** The clients always read whole pages, and no documents. The prefix of a key is checked without a call. */
const WITHOUT_CLIENT = [
  'docs/guides/pages.md Check whether a page has changed: ts',
  'docs/guides/pages.md Check whether a page has changed: python',
  'docs/guides/staging.md How it differs: ts',
  'docs/guides/staging.md How it differs: python',
  'docs/guides/versioning.md Read the OpenAPI document: python',
]

/** Code that installs or starts something, sets variables, or is for operators: file and first line. All of deploy/ is for operators. */
const OTHERS = [
  'README.md: npm ci && npm start',
  'README.md: ./petstore pet import animals.csv --dry-run',
  'README.md: ./petstore account create "Corner Shop" --plan pro',
  'README.md: npm ci && npm test',
  `client/README.md: npm install https://petstore.example/clients/petstore-client-${manifest.version}.tgz`,
  `clients/python/README.md: pip install https://petstore.example/clients/petstore_client-${toPython(manifest.version)}-py3-none-any.whl`,
  'docs/guides/quick-start.md: export PETSTORE_URL=https://petstore.example/v1',
  `docs/guides/quick-start.md: npm install https://petstore.example/clients/petstore-client-${manifest.version}.tgz`,
  `docs/guides/quick-start.md: pip install https://petstore.example/clients/petstore_client-${toPython(manifest.version)}-py3-none-any.whl`,
  'docs/guides/quick-start.md: petstore pet delete 57 --yes',
  'docs/guides/staging.md: export PETSTORE_URL=https://staging.petstore.example/v1',
  'release/files/README.md: ./petstore serve --demo     starts a demo with sample data',
  'release/files/README.md: ln -s "$PWD/petstore" /usr/local/bin/petstore',
]
