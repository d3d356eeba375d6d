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
import { SETUP } from '../release/artifacts.ts'
import { ROOT } from '../release/repository.ts'
import { temporaryFolder } from './support/folder.ts'
import { HANDBOOK } from './support/handbook.ts'
import { needs } from './support/servers/needs.ts'
import { hasOwnRoot, runInOwnRoot, SYSTEMCTL } from './support/servers/own-root.ts'
import { findFreePort } from './support/servers/private-server.ts'

// install.sh and upgrade.sh as they stand, in a root whose folders end with the test. The program is a stand-in, which keeps its store in a file
// with the number of the newest version that has opened it; systemctl starts and stops it. The wrapper and the units are the real ones.

const SYSTEMD = new URL('../deploy/systemd/', import.meta.url).pathname
const [INSTALL, LAUNCHER] = [
  new URL(`../${SETUP.file}`, import.meta.url).pathname,
  new URL('../release/files/petstore', import.meta.url).pathname,
]

/** @param level the newest level of a store that it can open, and the one that it makes of every older one */
const PROGRAM = (level: number, fault: string) => `#!/bin/sh
# As the program does.
[ ! -e "$PETSTORE_ENV_FILE" ] || while read -r line; do export "$line"; done <"$PETSTORE_ENV_FILE"
store=$PETSTORE_DATA/store
open() {
  [ "$(cat "$store" 2>/dev/null || echo 0)" -le ${level} ] || { echo "error: A newer release wrote it." >&2; exit 1; }
}
case $1 in
  version) ${fault === 'lacks a library' ? 'echo "libatomic.so.1: cannot open shared object file" >&2; exit 127' : 'echo 1'} ;;
  account | doctor) open ;;
  backup)
    ${fault === 'cannot back up' ? 'echo "error: The disk is full." >&2; exit 1' : ''}
    ${fault === 'backs up forever' ? 'touch "$(dirname "$2")/begun"; exec sleep 60' : ''}
    open; cp "$store" "$2" ;;
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
    ${commandsOf('sh install.sh\n', '1.0.0')}
    echo PETSTORE_OPERATOR_PORT=${root.port} >>/etc/petstore/petstore.env
    systemctl start petstore; eventually
    cd ${root.folderOf('2.0.0')}
    ${commandsOf('sh upgrade.sh petstore-VERSION', '2.0.0')}
    ask
    sh -ec '${commandsOf('--rollback\npetstore doctor', '')}' || echo "exit $?"
    ${commandsOf('--rollback --restore', '2.0.0')}
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
    ${root.upgrade('1.1.0')}
    readlink /opt/petstore; ask
    ${root.rollback()}
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
      code=0; ${root.upgrade('2.0.0')} || code=$?
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

test('a setting that is empty but for a blank or the line end of Windows is empty: the store is backed up before the upgrade', async t => {
  const root = await makeRoot(t)
  if (!root) return
  root.release('1.0.0', { level: 1 })
  root.release('2.0.0', { level: 2, fault: 'does not start' })
  const { printed } = root.run(`
    ${root.install('1.0.0')} >/dev/null
    printf 'PETSTORE_DATABASE_URL= \\r\\n' >>/etc/petstore/petstore.env
    systemctl start petstore; eventually
    ${root.upgrade('2.0.0')} || ask
  `)
  assert.match(printed, /^error: .* Its store is the backup from before the upgrade\.\nserved by 1\n$/)
})

test('after a failed upgrade, the old version serves: its backup fails', async t => {
  const root = await makeRoot(t)
  if (!root) return
  root.release('1.0.0', { level: 1, fault: 'cannot back up' })
  root.release('2.0.0', { level: 2 })
  const { printed } = root.run(`
    ${root.install('1.0.0')} >/dev/null
    systemctl start petstore; eventually
    ${root.upgrade('2.0.0')} || echo "exit $?"
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
    ${root.upgrade('2.0.0')} || echo "exit $?"
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
    setsid ${root.upgrade('2.0.0', '--wait 30')} & upgrade=$!
    until [ "$(readlink /opt/petstore)" = petstore-2.0.0-linux-x64 ] && [ "$(cat /var/lib/petstore/store)" = 2 ]; do sleep 0.05; done
    kill -TERM "-$upgrade"
    wait $upgrade || echo "exit $?"
    readlink /opt/petstore; ask; cat /var/lib/petstore/store
  `)
  assert.match(printed, /^error: Interrupted\. petstore-1\.0\.0-linux-x64 runs again\./m)
  assert.match(printed, /exit 1\npetstore-1\.0\.0-linux-x64\nserved by 1\n1\n$/)
})

for (const [moment, fault, found] of [
  ['while the old version backs up its store', 'backs up forever', '[ -e /var/backups/petstore/begun ]'],
  ['while the new version starts', 'is never ready', '[ "$(cat /var/lib/petstore/store)" = 2 ]'],
] as const) {
  test(`after an upgrade that was killed ${moment}, the old version serves`, async t => {
    const root = await makeRoot(t)
    if (!root) return
    root.release('1.0.0', { level: 1, fault: fault === 'backs up forever' ? fault : '' })
    root.release('2.0.0', { level: 2, fault })
    const { printed } = root.run(`
      ${root.install('1.0.0')} >/dev/null
      systemctl start petstore; eventually
      setsid ${root.upgrade('2.0.0', '--wait 30')} & upgrade=$!
      until ${found}; do sleep 0.05; done
      kill -KILL "-$upgrade"
      wait $upgrade || echo "exit $?"
      timeout 20 sh -c 'until [ ! -L /opt/.petstore.back ]; do sleep 0.05; done'
      flock /run/petstore-setup.lock true
      eventually; ask; readlink /opt/petstore; cat /var/lib/petstore/store
      ls -A /opt | grep '^\\.' || true
    `)
    assert.match(printed, /^error: Interrupted\. petstore-1\.0\.0-linux-x64 runs again\./m)
    assert.match(printed, /exit 137\n/)
    assert.match(printed, /served by 1\npetstore-1\.0\.0-linux-x64\n1\n$/)
  })
}

test('what a power failure left of an upgrade is removed, and the version before it is known', async t => {
  const root = await makeRoot(t)
  if (!root) return
  for (const version of ['1.0.0', '1.1.0', '1.2.0']) root.release(version, { level: 1 })
  const { printed, status } = root.run(`
    ${root.install('1.0.0')} >/dev/null
    systemctl start petstore; eventually
    ln -s petstore-1.0.0-linux-x64 /opt/.petstore.back
    mkdir /opt/.unpacked; touch /opt/.unpacked/part
    ${root.upgrade('1.1.0')}
    ln -s petstore-1.0.0-linux-x64 /opt/.petstore.back
    rm /opt/petstore.previous
    ${root.rollback()}
    ls -A /opt
  `)
  assert.equal(status, 0, printed)
  assert.equal(
    printed,
    `petstore now runs petstore-1.1.0-linux-x64.
petstore now runs petstore-1.0.0-linux-x64.
petstore
petstore-1.0.0-linux-x64
petstore-1.1.0-linux-x64
petstore.previous
`,
  )
})

test('a second deployment has its own version and folders', async t => {
  const root = await makeRoot(t)
  if (!root) return
  root.release('1.0.0', { level: 1 })
  root.release('1.1.0', { level: 1 })
  const { printed, status } = root.run(`
    ${root.installOnly('1.0.0')} >/dev/null
    ${root.install('1.0.0', 'petstore-staging')} >/dev/null
    systemctl start petstore-staging; eventually
    ${root.upgrade('1.1.0', 'petstore-staging')}
    ls /opt; readlink /opt/petstore /opt/petstore-staging; ls /var/backups/petstore-staging; ask
    ls -l /usr/local/bin/petstore-staging | sed 's/.* -> //'; ls /etc/systemd/system | grep staging
    grep -e ^User= -e ^Exec /etc/systemd/system/petstore-staging.service
  `)
  assert.equal(status, 0, printed)
  assert.equal(
    printed,
    `petstore-staging now runs petstore-1.1.0-linux-x64.
petstore
petstore-1.0.0-linux-x64
petstore-1.1.0-linux-x64
petstore-staging
petstore-staging.previous
petstore-1.0.0-linux-x64
petstore-1.1.0-linux-x64
before-petstore-1.1.0-linux-x64.db
served by 1
/opt/petstore-staging/deploy/systemd/petstore
petstore-staging-backup.service
petstore-staging-backup.timer
petstore-staging.service
User=petstore-staging
ExecStart=/usr/local/bin/petstore-staging serve
`,
  )
})

test('the archive is found in the folder of the script and next to it, if it is the only one', async t => {
  const root = await makeRoot(t)
  if (!root) return
  root.release('1.0.0', { level: 1 })
  root.release('2.0.0', { level: 1 })
  const name = 'petstore-1.0.0-linux-x64'
  const { printed } = root.run(`
    cd ${root.folderOf('1.0.0')}/${name}
    cp ../../2.0.0/petstore-2.0.0-linux-x64.tar.gz ..
    (cd ..; sh install.sh) || echo "exit $?"
    sh install.sh; readlink /opt/petstore
    rm /opt/petstore ../*.tar.gz
    sh install.sh || echo "exit $?"
  `)
  assert.match(printed, /^error: Several archives are next to this script\. Name one\.\nexit 1\n/m)
  assert.match(printed, /petstore is installed\..*\npetstore-1\.0\.0-linux-x64\n/)
  assert.match(printed, /error: No petstore-VERSION-linux-x64\.tar\.gz is next to this script\. .*\nexit 1\n$/)
})

test('the scripts and the program name the package of a missing library before the loader does', async t => {
  const root = await makeRoot(t)
  if (!root) return
  root.release('1.0.0', { level: 1, launcher: LAUNCHER })
  const { printed } = root.run(`
    for folder in $(dirname /lib/*/libatomic.so.1); do
      mkdir -p "$disk$folder/upper" "$disk$folder/work"
      mount -t overlay overlay -o "lowerdir=$folder,upperdir=$disk$folder/upper,workdir=$disk$folder/work" "$folder"
      rm "$folder"/libatomic.so.*
    done
    ${root.installOnly('1.0.0')} || echo "exit $?"
    ${root.folderOf('1.0.0')}/petstore-1.0.0-linux-x64/petstore version || echo "exit $?"
    ${ROOT}petstore version || echo "exit $?"
  `)
  const advice = 'Petstore needs libatomic: run "apt-get install libatomic1" or "dnf install libatomic".'
  assert.equal(
    printed,
    `error: petstore-1.0.0-linux-x64 does not run on this machine: ${advice}\nexit 1\n${`error: ${advice}\nexit 1\n`.repeat(2)}`,
  )
})

test('a version that cannot open the store is taken back only with a backup', async t => {
  const root = await makeRoot(t)
  if (!root) return
  root.release('1.0.0', { level: 1 })
  root.release('2.0.0', { level: 2 })
  const { printed } = root.run(`
    ${root.install('1.0.0')} >/dev/null
    systemctl start petstore; eventually
    ${root.upgrade('2.0.0')}
    ${root.rollback()} || echo "exit $?"; ask
    ${root.rollback('--restore /var/backups/petstore/before-petstore-2.0.0-linux-x64.db')}; ask
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
    ${root.installOnly('2.0.0')} || echo "exit $?"; ls -A /opt
    sh ${root.folderOf('1.0.0')}/upgrade.sh --rollback || echo "exit $?"
    ${root.installOnly('1.0.0', "'a/b'")} || echo "exit $?"
    ${root.install('1.0.0')} >/dev/null
    ${root.installOnly('1.0.0')} || echo "exit $?"
    ${root.upgrade('1.0.0')} || echo "exit $?"
    ${root.upgrade('1.0.0', 'petstore-staging')} || echo "exit $?"
  `)
  assert.equal(printed.match(/^exit 1$/gm)?.length, 6, printed)
  for (const line of [
    /error: petstore-2\.0\.0-linux-x64\.tar\.gz does not have the checksum in \S+SHA256SUMS\. Download both again\./,
    /error: No earlier version is known\./,
    /error: The name a\/b must consist of a to z, 0 to 9 and -, /,
    /error: \/opt\/petstore already exists\. To change the version, use upgrade\.sh\./,
    /error: petstore-1\.0\.0-linux-x64 already runs\./,
    /error: \/opt\/petstore-staging is not a link to a version\. To install one, use install\.sh\./,
  ]) {
    assert.match(printed, line)
  }
})

interface Version {
  level: number
  fault?: string
  folder?: string
  bytes?: number
  /** The file to copy in place of the stand-in for the program. */
  launcher?: string
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
  const script = (name: string, version: string, options = '') =>
    `sh ${join(folder, version, name)} ${archive(version)} ${options}`
  return {
    sums,
    port,
    folderOf: (version: string) => join(folder, version),
    archive,
    installOnly: (version: string, options?: string) => script('install.sh', version, options),
    install: (version: string, name = 'petstore') =>
      `{ ${script('install.sh', version, name)}; echo PETSTORE_OPERATOR_PORT=${port} >>/etc/${name}/${name}.env; }`,
    upgrade: (version: string, options = '') => script('upgrade.sh', version, `--wait 3 ${options}`),
    rollback: (options = '') => `sh /opt/petstore/upgrade.sh --rollback --wait 3 ${options}`,
    release(version: string, { level, fault = '', folder: name, bytes = 0, launcher }: Version) {
      const inside = name ?? `petstore-${version}-linux-x64`
      const path = join(folder, version, inside)
      mkdirSync(join(path, 'deploy'), { recursive: true })
      mkdirSync(join(path, 'runtime'), { recursive: true })
      execFileSync('cp', ['-r', SYSTEMD, join(path, 'deploy/systemd')])
      if (launcher) copyFileSync(launcher, join(path, 'petstore'))
      else writeFileSync(join(path, 'petstore'), PROGRAM(level, fault), { mode: 0o755 })
      writeFileSync(join(path, 'padding'), Buffer.alloc(bytes))
      rmSync(join(path, 'runtime/node'), { force: true })
      for (const place of [path, join(folder, version)])
        for (const name of SETUP.names) copyFileSync(INSTALL, join(place, name))
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
