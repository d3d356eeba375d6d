import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from './support/folder.ts'
import { needs } from './support/servers/needs.ts'

// deploy/systemd/petstore, with which the unit and operators run every command. Only the folders are replaced.

const WRAPPER = new URL('../deploy/systemd/petstore', import.meta.url)
const OWN_NAME = userInfo().username
/** A user that every Linux has, with a group of the same name. */
const OTHER_NAME = 'daemon'
const SHOW_SETTINGS =
  'env | grep ^PETSTORE_ | grep -v -e ^PETSTORE_COMMAND= -e ^PETSTORE_ENV_FILE= | LC_ALL=C sort; echo "$HOME"; echo "$NODE_COMPILE_CACHE"; echo "$PETSTORE_ENV_FILE"'

test('the value of a setting is everything after the first =, without shell syntax', async t => {
  const lines = [
    'PETSTORE_DATABASE_URL=postgres://u:p@h/db?sslmode=verify-full&sslrootcert=/x.pem',
    'PETSTORE_HOST=a b/$HOME#`id`\\n%d;',
    'PETSTORE_PORT=',
  ]
  const settings = ['# none', `  ${lines[0]}`, '', ...lines.slice(1)].join('\n')
  const { run, folder } = await install(t, { settings, program: SHOW_SETTINGS })
  const { stdout, status } = run([])
  const folders = ['lib', 'cache'].map(kind => `${folder}/var/${kind}/${OWN_NAME}`)
  assert.equal(stdout, [...lines, ...folders, `${folder}/etc/${OWN_NAME}/${OWN_NAME}.env`, ''].join('\n'))
  assert.equal(status, 0)
})

test('a variable set for one command overrides the settings, even if it is empty', async t => {
  const settings = 'PETSTORE_DATA=/a\nPETSTORE_PORT=1\n'
  const { run } = await install(t, { settings, program: SHOW_SETTINGS })
  const { stdout } = run([], { PETSTORE_DATA: '', PETSTORE_HOST: '::1' })
  assert.match(stdout, /^PETSTORE_DATA=\nPETSTORE_HOST=::1\nPETSTORE_PORT=1\n/)
})

test('an invalid settings file is reported, and nothing runs', async t => {
  for (const line of [
    'export PETSTORE_DATA=/a',
    'PETSTORE_DATA="/a"',
    "PETSTORE_DATA='/a'",
    'PETSTORE_DATA',
    'PETSTORE_DATA = /a',
    'PETSTORE_DATA =/a',
    'petstore_data=/a',
    '=/a',
  ]) {
    const { run } = await install(t, { settings: `PETSTORE_PORT=1\n${line}\n`, program: 'echo run' })
    const { status, stdout, stderr } = run([])
    assert.ok(status !== 0, line)
    assert.equal(stdout, '', line)
    assert.match(stderr, /^error: line 2 of .* must be KEY=VALUE, without quotes\.\n$/, line)
  }
})

test('a command gets its arguments, standard input and folder unchanged, and its exit code is returned', async t => {
  const program = 'printf "%s|" "$@"; pwd; cat; exit 7'
  const { run, folder } = await install(t, { settings: '', program })
  const { status, stdout } = run(['account', 'create', 'Corner  Shop', '', '$x*'])
  assert.deepEqual([status, stdout], [7, `account|create|Corner  Shop||$x*|${folder}\nanimals\n`])
})

test('messages use the name of the deployment for the program', async t => {
  const { run } = await install(t, { settings: '', program: 'echo "$PETSTORE_COMMAND"' })
  assert.equal(run([]).stdout, `${OWN_NAME}\n`)
})

test("a settings file that the service's user cannot read is reported, even to root", async t => {
  if (process.getuid?.() !== 0) return t.skip('only root can become another user')
  if (!needs(t, 'setpriv')) return
  const { run, folder } = await install(t, { name: OTHER_NAME, settings: '', program: 'echo run' })
  await chmod(`${folder}/etc/${OTHER_NAME}/${OTHER_NAME}.env`, 0o600)
  const { status, stdout, stderr } = run([])
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /^error: \S+\/daemon\.env cannot be read by daemon: /)
})

test("root runs a command as the service's user", async t => {
  if (process.getuid?.() !== 0) return t.skip('only root can become another user')
  if (!needs(t, 'setpriv')) return
  const { run, folder } = await install(t, { name: OTHER_NAME, settings: '', program: 'id -un; id -gn; echo "$0"' })
  const { stdout, stderr } = run([])
  assert.equal(stdout, `${OTHER_NAME}\n${OTHER_NAME}\n${folder}/opt/${OTHER_NAME}/petstore\n`, stderr)
})

test('a backup deletes those of more than 14 days, but never the newest 14, whatever the clock shows', async t => {
  const folder = await temporaryFolder(t)
  const unit = await readFile(new URL('../deploy/systemd/petstore-backup.service', import.meta.url), 'utf8')
  const command =
    /^ExecStartPost=\/bin\/sh -c '(.*)'$/m.exec(unit)?.[1]?.replaceAll('/var/backups/petstore', folder) ?? ''
  const cleanUp = async () => {
    const { status, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' })
    assert.deepEqual([status, stderr], [0, ''])
    return (await readdir(folder)).filter(name => name.startsWith('daily-')).length
  }
  const write = async (name: string, daysAgo: number) => {
    const file = `${folder}/${name}.db`
    await writeFile(file, '')
    const time = new Date(Date.now() - daysAgo * 86_400_000)
    await utimes(file, time, time)
  }
  await write('by-hand', 400)
  for (let day = 0; day < 20; day++) await write(`daily-${day}`, day + 0.1)
  assert.equal(await cleanUp(), 15, 'those of the last 14 days, and of today')
  // As a clock that is far ahead sees them.
  for (let day = 0; day < 15; day++) await write(`daily-${day}`, day + 400.1)
  await write('daily-of-today', 0)
  assert.equal(await cleanUp(), 14)
  // As a clock that is far behind sees them.
  for (let day = 0; day < 15; day++) await write(`daily-${day}`, day - 400)
  await write('daily-of-today', 0)
  assert.equal(await cleanUp(), 16)
})

interface Installation {
  name?: string
  settings: string
  /** What is in the place of the program, as a shell script. */
  program: string
}

/** Installs the wrapper under a user's name, as that user's deployment. */
async function install(t: TestContext, { name = OWN_NAME, settings, program }: Installation) {
  const folder = await temporaryFolder(t)
  await chmod(folder, 0o755)
  const installed = `${folder}/opt/${name}`
  for (const path of [installed, `${folder}/etc/${name}`, `${folder}/bin`]) {
    await mkdir(path, { recursive: true })
  }
  const wrapper = (await readFile(WRAPPER, 'utf8')).replaceAll(/(?<=[="])\/(?=opt\/|etc\/|var\/)/g, `${folder}/`)
  await writeFile(`${folder}/bin/${name}`, wrapper, { mode: 0o755 })
  await writeFile(`${installed}/petstore`, `#!/bin/sh\n${program}\n`, { mode: 0o755 })
  await writeFile(`${folder}/etc/${name}/${name}.env`, settings)
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    spawnSync(`${folder}/bin/${name}`, args, {
      cwd: folder,
      env: { PATH: process.env.PATH, ...env },
      input: 'animals\n',
      encoding: 'utf8',
    })
  return { folder, run }
}
