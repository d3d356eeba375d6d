import assert from 'node:assert/strict'
import { test } from 'node:test'
import manifest from '../../package.json' with { type: 'json' }
import { toPython } from '../../release/repository.ts'
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
  'docs/guides/quick-start.md: pip install requests',
  `docs/guides/quick-start.md: pip install https://petstore.example/clients/petstore_client-${toPython(manifest.version)}-py3-none-any.whl`,
  'docs/guides/staging.md: export PETSTORE_URL=https://staging.petstore.example/v1',
  'release/files/README.md: ./petstore serve --demo     starts the service with sample animals',
  'release/files/README.md: ln -s "$PWD/petstore" /usr/local/bin/petstore',
]
