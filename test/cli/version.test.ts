import assert from 'node:assert/strict'
import { test } from 'node:test'
import openapi from '../../openapi.json' with { type: 'json' }
import manifest from '../../package.json' with { type: 'json' }
import { ownBuild } from '../../src/app/build.ts'
import { assertUsageError, petstore, runCommand } from '../support/command-line.ts'

test('the version is that of the software, its commit, the API, Node and the platform', async () => {
  const platform = `${process.platform}-${process.arch}`
  const build = await ownBuild()
  const expected = { ...build, api: openapi.info.version, node: process.versions.node, platform }
  for (const command of ['version', '--version']) {
    const json = await petstore([command, '--json'])
    assert.deepEqual(JSON.parse(json.stdout), expected)
    const { code, stdout, stderr } = await petstore([command])
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    assert.deepEqual(stdout.split('\n'), [
      `Petstore  ${manifest.version}`,
      `Commit    ${build.commit ?? 'unknown'}`,
      `Built     ${build.builtAt ?? 'unknown'}`,
      `API       ${openapi.info.version}`,
      `Node      ${process.versions.node}`,
      `Platform  ${platform}`,
      '',
    ])
  }
})

test('the version does not depend on the settings', async () => {
  assert.equal((await runCommand(['version'], { PETSTORE_PORT: 'http', PETSTORE_DATA: '/no/such' })).code, 0)
})

test('--version belongs before a command', async () => {
  assertUsageError(await runCommand(['key', 'list', '--version']), /unknown option '--version'/)
})
