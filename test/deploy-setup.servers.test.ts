import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from './support/folder.ts'
import { needs } from './support/servers/needs.ts'
import { hasOwnRoot, runInOwnRoot } from './support/servers/own-root.ts'
import { findFreePort } from './support/servers/private-server.ts'

// deploy/systemd/setup.sh as it stands, in a root whose folders end with the test. The program is a stand-in, which keeps its store in a file
// with the number of the newest version that has opened it; systemctl starts and stops it. The wrapper and the units are the real ones.

const HANDBOOK = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8')
const SETUP = new URL('../deploy/systemd/setup.sh', import.meta.url).pathname
const SYSTEMD = new URL('../deploy/systemd/', import.meta.url).pathname

const SYSTEMCTL = `#!/bin/sh
case $1 in
  start)
    setsid "/usr/local/bin/$2" serve 9>&- >/dev/null 2>&1 </dev/null &
    echo $! >"/run/$2.pid" ;;
  stop)
    [ ! -e "/run/$2.pid" ] || { kill -9 "-$(cat "/run/$2.pid")"; rm "/run/$2.pid"; } 2>/dev/null ;;
  daemon-reload) ;;
  *) exit 1 ;;
esac
exit 0
`

/** @param level the newest level of a store that it can open, and the one that it makes of every older one */
const PROGRAM = (level: number, fault: string) => `#!/bin/sh
store=$PETSTORE_DATA/store
open() {
  [ "$(cat "$store" 2>/dev/null || echo 0)" -le ${level} ] || { echo "error: A newer release wrote it." >&2; exit 1; }
}
case $1 in
  version) ${fault === 'lacks a library' ? 'echo "libatomic.so.1: cannot open shared object file" >&2; exit 127' : 'echo 1'} ;;
  account | doctor) open ;;
  backup) ${fault === 'cannot back up' ? 'echo "error: The disk is full." >&2; exit 1' : 'open; cp "$store" "$2"'} ;;
  restore) cp "$2" "$store" ;;
  serve)
    open
    echo ${level} >"$store"
    ${
      fault === 'is never ready'
        ? 'sleep 60'
        : fault === 'does not start'
          ? 'exit 1'
          : `exec "$(dirname "$(readlink -f "$0")")/runtime/node" -e '
      require("node:http").createServer((_, response) => response.end("${level}")).listen(process.env.PETSTORE_OPERATOR_PORT, "127.0.0.1")'`
    }
    ;;
esac
`

test("the handbook's commands install a version, upgrade it and go back", async t => {
  const root = await makeRoot(t)
  if (!root) return
  root.release('1.0.0', { level: 1 })
  root.release('2.0.0', { level: 2 })
  const commandsOf = (word: string, version: string) => blockWith(word).replaceAll('VERSION', version)
  const { printed, status } = root.run(`
    cd ${root.folderOf('1.0.0')}
    ${commandsOf('setup.sh install', '1.0.0')}
    echo PETSTORE_OPERATOR_PORT=${root.port} >>/etc/petstore/petstore.env
    systemctl start petstore; eventually
    cd ${root.folderOf('2.0.0')}
    ${commandsOf('setup.sh upgrade', '2.0.0')}
    ask
    sh -ec '${commandsOf('setup.sh rollback\npetstore doctor', '')}' || echo "exit $?"
    ${commandsOf('rollback --restore', '2.0.0')}
    ask
  `)
  assert.equal(status, 0, printed)
  assert.match(printed, /served by 2\nerror: .* cannot open the store.*\nexit 1\n.*served by 1\n$/s)
})

test('a version is installed, upgraded and taken back', async t => {
  const root = await makeRoot(t)
  if (!root) return
  root.release('1.0.0', { level: 1 })
  root.release('1.1.0', { level: 1 })
  const { printed, status } = root.run(`
    ${root.install('1.0.0')}
    systemctl start petstore; eventually; ask
    ${root.setup('upgrade', '1.1.0')}
    readlink /opt/petstore; ask
    ${root.setup('rollback')}
    readlink /opt/petstore; ask
    ls -A /opt
    stat -c '%a %U' /etc/petstore/petstore.env /var/lib/petstore
  `)
  assert.equal(status, 0, printed)
  assert.equal(
    printed,
    `petstore is installed. Write its settings to /etc/petstore/petstore.env.
served by 1
petstore now runs petstore-1.1.0-linux-x64.
petstore-1.1.0-linux-x64
served by 1
petstore now runs petstore-1.0.0-linux-x64.
petstore-1.0.0-linux-x64
served by 1
petstore
petstore-1.0.0-linux-x64
petstore-1.1.0-linux-x64
petstore.previous
640 root
700 petstore
`,
  )
})

/** What is wrong with the download or the new version, and what the one line says. */
const FAULTS: [string, (root: Root) => void, RegExp][] = [
  ['a cut download', root => truncateSync(root.archive('2.0.0'), 500), /does not have the checksum/],
  ['a wrong sum', root => appendFileSync(root.archive('2.0.0'), 'x'), /does not have the checksum/],
  ['no archive', root => rmSync(root.archive('2.0.0')), /is missing/],
  ['an empty archive', root => truncateSync(root.archive('2.0.0'), 0), /does not have the checksum/],
  ['no sums', root => rmSync(root.sums('2.0.0')), /SHA256SUMS is missing/],
  [
    'a sum of another file only',
    root => writeFileSync(root.sums('2.0.0'), `${'0'.repeat(64)}  petstore-2.0.0-linux-x64.tar.gz.sig\n`),
    /does not list/,
  ],
  [
    'an archive with something else in it',
    root => root.release('2.0.0', { level: 2, folder: 'petstore-3.0.0-linux-x64' }),
    /does not contain/,
  ],
  [
    'a version that lacks a library',
    root => root.release('2.0.0', { level: 2, fault: 'lacks a library' }),
    /does not run on this machine: libatomic/,
  ],
  [
    'a version that does not start',
    root => root.release('2.0.0', { level: 2, fault: 'does not start' }),
    /is not ready .*Its store is the backup/,
  ],
  [
    'a version that is never ready',
    root => root.release('2.0.0', { level: 2, fault: 'is never ready' }),
    /is not ready .*Its store is the backup/,
  ],
]

for (const [name, spoil, reason] of FAULTS) {
  test(`after a failed upgrade, the old version serves: ${name}`, async t => {
    const root = await makeRoot(t)
    if (!root) return
    root.release('1.0.0', { level: 1 })
    root.release('2.0.0', { level: 2 })
    spoil(root)
    const { printed, status } = root.run(`
      ${root.install('1.0.0')} >/dev/null
      systemctl start petstore; eventually
      code=0; ${root.setup('upgrade', '2.0.0')} || code=$?
      echo "exit $code"
      readlink /opt/petstore; ask; cat /var/lib/petstore/store
      ls -A /opt | grep '^\\.' || true
    `)
    assert.equal(status, 0, printed)
    const [line, ...rest] = printed.trimEnd().split('\n')
    assert.match(line ?? '', /^error: /)
    assert.match(line ?? '', reason)
    assert.deepEqual(rest, ['exit 1', 'petstore-1.0.0-linux-x64', 'served by 1', '1'])
  })
}

test('after a failed upgrade, the old version serves: its backup fails', async t => {
  const root = await makeRoot(t)
  if (!root) return
  root.release('1.0.0', { level: 1, fault: 'cannot back up' })
  root.release('2.0.0', { level: 2 })
  const { printed } = root.run(`
    ${root.install('1.0.0')} >/dev/null
    systemctl start petstore; eventually
    ${root.setup('upgrade', '2.0.0')} || echo "exit $?"
    readlink /opt/petstore; ask; cat /var/lib/petstore/store
  `)
  assert.equal(
    printed,
    'error: The backup before the upgrade failed. The disk is full. petstore-1.0.0-linux-x64 runs again.\n' +
      'exit 1\npetstore-1.0.0-linux-x64\nserved by 1\n1\n',
  )
})

test('after a failed upgrade, the old version serves: the disk is full', async t => {
  const root = await makeRoot(t)
  if (!root) return
  root.release('1.0.0', { level: 1 })
  root.release('2.0.0', { level: 2, bytes: 3_000_000 })
  const { printed } = root.run(
    `${root.install('1.0.0')} >/dev/null
    systemctl start petstore; eventually
    ${root.setup('upgrade', '2.0.0')} || echo "exit $?"
    readlink /opt/petstore; ask; ls -A /opt`,
    { OPT_SIZE: '2m' },
  )
  assert.match(
    printed,
    /^error: petstore-2\.0\.0-linux-x64\.tar\.gz cannot be unpacked into \/opt, which has \S+ free: tar: .*\n/,
  )
  assert.ok(
    printed.endsWith('exit 1\npetstore-1.0.0-linux-x64\nserved by 1\npetstore\npetstore-1.0.0-linux-x64\n'),
    printed,
  )
})

test('an interrupted upgrade leaves the old version serving', async t => {
  const root = await makeRoot(t)
  if (!root) return
  root.release('1.0.0', { level: 1 })
  root.release('2.0.0', { level: 2, fault: 'is never ready' })
  const { printed } = root.run(`
    ${root.install('1.0.0')} >/dev/null
    systemctl start petstore; eventually
    PETSTORE_SETUP_WAIT=30 setsid ${root.setup('upgrade', '2.0.0')} & upgrade=$!
    until [ "$(readlink /opt/petstore)" = petstore-2.0.0-linux-x64 ] && [ "$(cat /var/lib/petstore/store)" = 2 ]; do sleep 0.05; done
    kill -TERM "-$upgrade"
    wait $upgrade || echo "exit $?"
    readlink /opt/petstore; ask; cat /var/lib/petstore/store
  `)
  assert.match(printed, /^error: Interrupted\. petstore-1\.0\.0-linux-x64 runs again\./m)
  assert.match(printed, /exit 130\npetstore-1\.0\.0-linux-x64\nserved by 1\n1\n$/)
})

test('a version that cannot open the store is taken back only with a backup', async t => {
  const root = await makeRoot(t)
  if (!root) return
  root.release('1.0.0', { level: 1 })
  root.release('2.0.0', { level: 2 })
  const { printed } = root.run(`
    ${root.install('1.0.0')} >/dev/null
    systemctl start petstore; eventually
    ${root.setup('upgrade', '2.0.0')}
    ${root.setup('rollback')} || echo "exit $?"; ask
    ${root.setup('rollback', undefined, '--restore /var/backups/petstore/before-petstore-2.0.0-linux-x64.db')}; ask
  `)
  assert.equal(
    printed,
    `petstore now runs petstore-2.0.0-linux-x64.
error: petstore-1.0.0-linux-x64 cannot open the store; --restore BACKUP goes back to a backup. A newer release wrote it. petstore-2.0.0-linux-x64 runs again.
exit 1
served by 2
petstore now runs petstore-1.0.0-linux-x64.
served by 1
`,
  )
})

test('nothing is installed from a bad archive, over another version, or under another name', async t => {
  const root = await makeRoot(t)
  if (!root) return
  root.release('1.0.0', { level: 1 })
  root.release('2.0.0', { level: 2 })
  appendFileSync(root.archive('2.0.0'), 'x')
  const { printed } = root.run(`
    ${root.setup('install', '2.0.0')} || echo "exit $?"; ls -A /opt
    ${root.setup('rollback')} || echo "exit $?"
    ${root.setup('install', '1.0.0', "--name 'a/b'")} || echo "exit $?"
    ${root.install('1.0.0')} >/dev/null
    ${root.setup('install', '1.0.0')} || echo "exit $?"
    ${root.setup('upgrade', '1.0.0')} || echo "exit $?"
    ${root.setup('upgrade', '1.0.0', '--name petstore-staging')} || echo "exit $?"
  `)
  assert.equal(printed.match(/^exit 1$/gm)?.length, 6, printed)
  for (const line of [
    /error: petstore-2\.0\.0-linux-x64\.tar\.gz does not have the checksum in \S+SHA256SUMS\. Download both again\./,
    /error: No earlier version is known\./,
    /error: --name must consist of a to z, 0 to 9 and -\./,
    /error: \/opt\/petstore already exists\. To change the version, use upgrade\./,
    /error: petstore-1\.0\.0-linux-x64 already runs\./,
    /error: \/opt\/petstore-staging is not a link to a version\. To install one, use install\./,
  ]) {
    assert.match(printed, line)
  }
})

interface Version {
  level: number
  fault?: string
  folder?: string
  bytes?: number
}

type Root = NonNullable<Awaited<ReturnType<typeof makeRoot>>>

async function makeRoot(t: TestContext) {
  if (!hasOwnRoot(t) || !needs(t, 'curl')) return undefined
  const folder = await temporaryFolder(t)
  chmodSync(folder, 0o755)
  const port = await findFreePort()
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin/systemctl'), SYSTEMCTL, { mode: 0o755 })
  const sums = (version: string) => join(folder, version, 'SHA256SUMS')
  const archive = (version: string) => join(folder, version, `petstore-${version}-linux-x64.tar.gz`)
  const setup = (action: string, version?: string, options = '') =>
    `sh ${SETUP} ${action} ${version === undefined ? '' : archive(version)} ${options}`
  return {
    sums,
    port,
    folderOf: (version: string) => join(folder, version),
    archive,
    setup,
    install: (version: string) =>
      `{ ${setup('install', version)}; echo PETSTORE_OPERATOR_PORT=${port} >>/etc/petstore/petstore.env; }`,
    release(version: string, { level, fault = '', folder: name, bytes = 0 }: Version) {
      const inside = name ?? `petstore-${version}-linux-x64`
      const path = join(folder, version, inside)
      mkdirSync(join(path, 'deploy'), { recursive: true })
      mkdirSync(join(path, 'runtime'), { recursive: true })
      execFileSync('cp', ['-r', SYSTEMD, join(path, 'deploy/systemd')])
      writeFileSync(join(path, 'petstore'), PROGRAM(level, fault), { mode: 0o755 })
      writeFileSync(join(path, 'padding'), Buffer.alloc(bytes))
      rmSync(join(path, 'runtime/node'), { force: true })
      copyFileSync(SETUP, join(folder, version, 'setup.sh'))
      symlinkSync(process.execPath, join(path, 'runtime/node'))
      execFileSync('tar', ['-czf', archive(version), '-C', join(folder, version), inside])
      const sum = createHash('sha256')
        .update(readFileSync(archive(version)))
        .digest('hex')
      writeFileSync(sums(version), `${sum}  petstore-${version}-linux-x64.tar.gz\n`)
    },
    run(script: string, env: Record<string, string> = {}) {
      const helpers = `
        mkdir -p /etc/systemd/system
        eventually() { timeout 20 sh -c 'until curl -fs http://127.0.0.1:${port}/readyz >/dev/null; do sleep 0.05; done'; }
        ask() { echo "served by $(curl -fs http://127.0.0.1:${port}/readyz)"; }
      `
      return runInOwnRoot(helpers + script, {
        PATH: `${folder}/bin:${process.env.PATH}`,
        PETSTORE_SETUP_WAIT: '3',
        ...env,
      })
    },
  }
}

/** The only block of commands of the handbook with this text. */
function blockWith(text: string): string {
  const found = [...HANDBOOK.matchAll(/^```sh\n(.*?)^```$/gms)].filter(([, block = '']) => block.includes(text))
  assert.equal(found.length, 1, text)
  return found[0]?.[1] ?? ''
}
