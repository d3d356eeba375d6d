import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, readlink, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { makeAuthority } from './support/certificates.ts'
import { runCommand } from './support/command-line.ts'
import { eventually } from './support/eventually.ts'
import { temporaryFolder } from './support/folder.ts'
import { HANDBOOK } from './support/handbook.ts'
import { needs } from './support/servers/needs.ts'
import { findFreePort } from './support/servers/private-server.ts'
import { startTestService, type TestService } from './support/service.ts'
import { writeKeyPair } from './support/transport.ts'

// HTTPS as the handbook shows it, with OpenSSL and curl as operators and their partners have them.

const runFile = promisify(execFile)

test("curl trusts a certificate of the handbook's own authority, and is redirected to it", async t => {
  if (!needs(t, 'openssl') || !needs(t, 'curl')) return
  const folder = await temporaryFolder(t)
  execFileSync('sh', ['-euc', blockWith('openssl x509 -req')], { cwd: folder, stdio: 'ignore' })
  const service = await start(t, { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') })
  const resolve = ['--resolve', `petstore.example:${service.port}:127.0.0.1`, '--cacert', join(folder, 'ca.pem')]
  const curl = (...args: string[]) =>
    runFile('curl', ['--silent', '--show-error', '--dump-header', '-', ...resolve, ...args])
  const page = await curl(`https://petstore.example:${service.port}/docs`)
  assert.match(page.stdout, /^HTTP\/1\.1 200 /)
  const redirected = await curl('--location', '--output', '/dev/null', `${service.instances[0]?.redirectUrl}/docs`)
  assert.match(redirected.stdout, /^HTTP\/1\.1 308 .*\r\nHTTP\/1\.1 200 /s)
  const refused = await curl(
    '-H',
    'Authorization: Bearer x',
    '--location',
    `${service.instances[0]?.redirectUrl}/v1/pets`,
  )
  assert.match(refused.stdout, /^HTTP\/1\.1 403 .*"https_required"/s)
  assert.doesNotMatch(refused.stdout, /HTTP\/1\.1 401/)
  await assert.rejects(
    curl(`https://127.0.0.1:${service.port}/docs`),
    /alternative certificate subject name|certificate/,
  )
})

test("the handbook's hook for certbot replaces the certificate of a running service", async t => {
  if (!needs(t, 'openssl')) return
  const folder = await temporaryFolder(t)
  const authority = makeAuthority()
  const [live, used] = [join(folder, 'live'), join(folder, 'tls')]
  await mkdir(live)
  await mkdir(used)
  const renew = async (number: number) => {
    const issued = authority.issue()
    for (const [name, content] of [
      ['fullchain', issued.cert],
      ['privkey', issued.key],
    ] as const) {
      await writeFile(join(folder, `${name}${number}.pem`), content)
      await symlink(`../${name}${number}.pem`, join(live, 'new'))
      await rename(join(live, 'new'), join(live, `${name}.pem`))
    }
    const hook = /<<'END'\n(#!\/bin\/sh\n.*?)END\n/s.exec(blockWith('RENEWED_LINEAGE'))?.[1] ?? ''
    const script = hook.replaceAll('/etc/petstore/tls', used)
    execFileSync('sh', ['-c', script], {
      env: { ...process.env, RENEWED_LINEAGE: live, RENEWED_DOMAINS: 'petstore.example' },
    })
    return issued
  }
  await renew(1)
  const direct = await start(t, { cert: join(live, 'fullchain.pem'), key: join(live, 'privkey.pem') })
  const copied = await start(t, { cert: join(used, 'cert.pem'), key: join(used, 'key.pem') })
  const { cert } = await renew(2)
  assert.equal(await readlink(join(live, 'privkey.pem')), '../privkey2.pem')
  for (const service of [direct, copied]) {
    await eventually(async () => assert.ok((await clientOutput(service)).includes(cert.trim())), 100)
  }
})

for (const [tool, blocks] of [
  ['certbot', ['RENEWED_LINEAGE', 'certbot certonly --force-renewal']],
  ['acme.sh', ['acme.sh --issue --standalone']],
] as const) {
  test(`the handbook's commands for ${tool} work on a new machine, one after another`, async t => {
    const root = await temporaryFolder(t)
    const { cert, key } = makeAuthority().issue()
    const programs = join(root, 'programs')
    for (const folder of ['programs', 'issued', 'etc/petstore', 'var/lib']) {
      await mkdir(join(root, folder), { recursive: true })
    }
    await writeFile(join(root, 'issued/fullchain.pem'), cert)
    await writeFile(join(root, 'issued/privkey.pem'), key)
    for (const [name, script] of Object.entries(TOOLS)) {
      await writeFile(join(programs, name), `#!/bin/sh\nset -eu\n${script}`, { mode: 0o755 })
    }
    const group = execFileSync('id', ['-gn'], { encoding: 'utf8' }).trim()
    for (const text of ['-d -m 0755 /var/lib/petstore-acme', ...blocks]) {
      const block = blockWith(text)
        .replaceAll(/(?<=[ >])\/(?=etc\/|var\/)/g, `${root}/`)
        .replaceAll('-g petstore', `-g ${group}`)
      const env = { PATH: `${programs}:${process.env.PATH}`, ISSUED: join(root, 'issued') }
      execFileSync('sh', ['-euc', block], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    }
    const used = { cert: join(root, 'etc/petstore/tls/cert.pem'), key: join(root, 'etc/petstore/tls/key.pem') }
    assert.deepEqual([readFileSync(used.cert, 'utf8'), readFileSync(used.key, 'utf8')], [cert, key])
    assert.ok((await clientOutput(await start(t, used))).includes(cert.trim()))
  })
}

/** In place of the programs that need a public name: they check and do what the real ones do with their options. */
const TOOLS = {
  systemctl: 'test "$*" = "enable --now petstore"\n',
  certbot: `
while [ $# -gt 0 ]; do
  case $1 in
    --deploy-hook) hook=$2; test -x "$hook" || { echo "Unable to find deploy-hook command $hook" >&2; exit 1; } ;;
    --webroot-path) test -d "$2" ;;
  esac
  shift
done
# It remembers the hook.
if [ -n "\${hook-}" ]; then echo "$hook" >"$ISSUED/hook"; fi
RENEWED_DOMAINS=petstore.example RENEWED_LINEAGE=$ISSUED "$(cat "$ISSUED/hook")"
`,
  'acme.sh': `
while [ $# -gt 0 ]; do
  case $1 in
    --webroot) test -d "$2" ;;
    --key-file) cat "$ISSUED/privkey.pem" >"$2" ;;
    --fullchain-file) cat "$ISSUED/fullchain.pem" >"$2" ;;
  esac
  shift
done
`,
}

test('OpenSSL connects the way current clients do, and not with older protocols', async t => {
  if (!needs(t, 'openssl')) return
  const authority = makeAuthority()
  const folder = await temporaryFolder(t)
  const middle = authority.delegate('Intermediate')
  const issued = middle.issue()
  const files = writeKeyPair(folder, { ...issued, cert: issued.cert + middle.cert })
  await writeFile(join(folder, 'ca.pem'), authority.cert)
  const service = await start(t, { cert: files.cert.path, key: files.key.path })
  const trusting = ['-CAfile', join(folder, 'ca.pem'), '-verify_return_error']
  for (const version of ['-tls1_2', '-tls1_3']) {
    const output = await clientOutput(service, version, '-alpn', 'h2,http/1.1', ...trusting)
    assert.match(output, /Verify return code: 0 \(ok\)/)
    assert.match(output, /ALPN protocol: http\/1\.1/)
    assert.match(output, /Compression: NONE/)
  }
  for (const old of [
    ['-tls1_1'],
    ['-tls1_2', '-cipher', 'AES128-SHA'],
    ['-tls1_2', '-cipher', 'DHE-RSA-AES128-GCM-SHA256'],
  ]) {
    await assert.rejects(clientOutput(service, ...old), old.join(' '))
  }
})

test('a key that OpenSSL has protected by a password is refused at the start, in one line', async t => {
  if (!needs(t, 'openssl')) return
  const folder = await temporaryFolder(t)
  const files = writeKeyPair(folder, makeAuthority().issue())
  const encrypted = join(folder, 'encrypted.pem')
  execFileSync('openssl', ['pkey', '-in', files.key.path, '-aes256', '-passout', 'pass:secret', '-out', encrypted])
  const settings = {
    PETSTORE_DATA: join(folder, 'data'),
    PETSTORE_TLS_CERT: files.cert.path,
    PETSTORE_TLS_KEY: encrypted,
  }
  const { code, stderr } = await runCommand(['serve'], settings)
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^error: PETSTORE_TLS_KEY: .* is protected by a password; write it without one: openssl pkey -in .*\n$/,
  )
})

/** The block of the handbook that contains this text. */
function blockWith(text: string): string {
  const [block, ...others] = [...HANDBOOK.matchAll(/^ *```sh\n(.*?)^ *```$/gms)]
    .map(([, code = '']) => code)
    .filter(code => code.includes(text))
  assert.ok(block && others.length === 0, `one block with ${text}`)
  return block
}

/** Starts a service with these files, which redirects plain HTTP to itself under the name petstore.example. */
async function start(t: TestContext, { cert, key }: { cert: string; key: string }): Promise<TestService> {
  const files = { cert: { setting: 'PETSTORE_TLS_CERT', path: cert }, key: { setting: 'PETSTORE_TLS_KEY', path: key } }
  const port = await findFreePort()
  return startTestService(t, {
    backend: 'embedded',
    now: Date.now(),
    refreshCertificatesEveryMs: 20,
    config: {
      port,
      tls: { public: files },
      publicUrls: { production: `https://petstore.example:${port}/v1` },
      redirectPort: 0,
    },
  })
}

/** What OpenSSL shows of a connection. */
async function clientOutput(service: TestService, ...options: string[]): Promise<string> {
  const command = ['s_client', '-connect', `127.0.0.1:${service.port}`, '-showcerts', ...options]
  const running = runFile('openssl', command)
  running.child.stdin?.end()
  return (await running).stdout
}
