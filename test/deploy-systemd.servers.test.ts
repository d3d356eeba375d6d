import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { type TestContext, test } from 'node:test'
import { PROGRAM } from './support/command-line.ts'
import { temporaryFolder } from './support/folder.ts'
import { needs } from './support/servers/needs.ts'

// deploy/systemd/petstore, with which the unit and operators run every command. Only the folders are replaced.

const WRAPPER = new URL('../deploy/systemd/petstore', import.meta.url)
const OWN_NAME = userInfo().username
/** A user that every Linux has, with a group of the same name. */
const OTHER_NAME = 'daemon'

test("a command runs with the deployment's settings file, name and folders, and otherwise the caller's environment", async t => {
  const program = 'echo "$PETSTORE_ENV_FILE $PETSTORE_COMMAND $HOME $NODE_COMPILE_CACHE $PETSTORE_DATA"'
  const { run, folder } = await install(t, { settings: 'PETSTORE_DATA=/a\n', program })
  const { stdout, status } = run([], { PETSTORE_DATA: '/b' })
  const [file, home, cache] = [`etc/${OWN_NAME}/${OWN_NAME}.env`, `var/lib/${OWN_NAME}`, `var/cache/${OWN_NAME}`]
  assert.equal(stdout, `${folder}/${file} ${OWN_NAME} ${folder}/${home} ${folder}/${cache} /b\n`)
  assert.equal(status, 0)
})

test('the program itself reads the settings file, and reports one that is missing or not valid', async t => {
  const program = `exec '${process.execPath}' '${PROGRAM}' "$@"`
  const { run, folder } = await install(t, { settings: 'PETSTORE_PORT=1\nPETSTORE_DATA="/a"\n', program })
  const file = `${folder}/etc/${OWN_NAME}/${OWN_NAME}.env`
  assert.equal(run(['account', 'list']).stderr, `error: Line 2 of ${file} must be KEY=value, without quotes.\n`)
  await rm(file)
  assert.match(run(['account', 'list']).stderr, /^error: The settings in \S+\.env cannot be read: no such file/)
})

test('a command gets its arguments, standard input and folder unchanged, and its exit code is returned', async t => {
  const program = 'printf "%s|" "$@"; pwd; cat; exit 7'
  const { run, folder } = await install(t, { settings: '', program })
  const { status, stdout } = run(['account', 'create', 'Corner  Shop', '', '$x*'])
  assert.deepEqual([status, stdout], [7, `account|create|Corner  Shop||$x*|${folder}\nanimals\n`])
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
