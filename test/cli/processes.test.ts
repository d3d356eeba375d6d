import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { environment, makeStore, PROGRAM, petstore, withoutNewStore } from '../support/command-line.ts'
import { temporaryFolder } from '../support/folder.ts'

// Most tests run commands one after another in one process. Here, each has its own process, as operators run it.

test('a command of every kind does its work, leaves nothing that keeps its process alive, and exits with 0', async t => {
  const [folder, other] = [await temporaryFolder(t), await temporaryFolder(t)]
  const [animals, backup] = [join(other, 'pets.ndjson'), join(other, 'backup.db')]
  await writeFile(animals, '{"name":"Max","categoryId":1}\n')
  const commands: readonly (readonly [commandLine: string, printed: RegExp, data?: string])[] = [
    ['account create acme --plan free', /acme/],
    ['key create acme', /^petstore_live_/],
    ['key rotate 1', /^petstore_live_/],
    ['ban list', /\n/],
    ['token create Anna --role admin', /\n/],
    ['pet add Rex --category 1', /Rex/],
    [`pet import ${animals}`, /1 animal/],
    ['pet export - --format csv', /1,Rex,1,available\n2,Max,1,available\n$/],
    ['usage', /\n/],
    ['audit', /pet\.import/],
    [`backup ${backup}`, /animals +2/],
    [`restore ${backup}`, /animals +2/, join(other, 'restored')],
    ['account delete acme --yes', /acme/],
  ]
  for (const [commandLine, printed, data = folder] of commands) {
    const { code, stdout, stderr } = await petstore(commandLine.split(' '), { PETSTORE_DATA: data })
    assert.deepEqual({ code, stderr: withoutNewStore(stderr) }, { code: 0, stderr: '' }, commandLine)
    assert.match(stdout, printed, commandLine)
  }
})

test('a name that is not UTF-8 is refused, and not stored with replaced characters', {
  skip: process.platform !== 'linux',
}, async t => {
  const store = await makeStore(t)
  await store.issueKey()
  // Only a shell passes bytes on that are not UTF-8: these are of Latin-1.
  const add = (name: string) =>
    `"${process.execPath}" "${PROGRAM}" pet add "$(printf '${name}')" --category 1 2>&1; echo "exit $?"`
  const ending = (name: string) =>
    execFileSync('sh', ['-c', add(name)], { env: environment(store.env), encoding: 'utf8' })
  assert.equal(ending('Zo\\353'), 'error: The command line must be UTF-8.\nexit 2\n')
  assert.match(ending('\\357\\277\\275'), /^Animal 1 is "\uFFFD", category 1/)
})
