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
import { needs } from './support/servers/needs.ts'
import { hasOwnRoot, runInOwnRoot } from './support/servers/own-root.ts'
import { findFreePort } from './support/servers/private-server.ts'
import { startTestService, type TestService } from './support/service.ts'
import { writeKeyPair } from './support/transport.ts'

// HTTPS as the handbook shows it, with OpenSSL and curl as operators and their partners have them.

const HANDBOOK = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8')
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

test("the handbook's commands for certbot and acme.sh work on a system that has just got these programs", async t => {
  if (!hasOwnRoot(t)) return
  const folder = await temporaryFolder(t)
  const programs = {
    systemctl: 'echo "systemctl $*"',
    // Like certbot, it looks for the hook before anything else, and tells it about the new certificate. Later renewals run the hooks in this folder.
    certbot: `
      for word; do
        [ "$previous" != --deploy-hook ] || { [ -x "$word" ] || { echo "Unable to find deploy-hook command $word"; exit 1; }; }
        previous=$word
      done
      echo key >privkey.pem; echo "certificate $((renewals += 1)) of certbot" >fullchain.pem
      for hook in /etc/letsencrypt/renewal-hooks/deploy/*; do RENEWED_DOMAINS=petstore.example RENEWED_LINEAGE=$PWD "$hook"; done`,
    'acme.sh': `
      for word; do
        case $previous in --key-file) echo key >"$word" ;; --fullchain-file) echo "certificate of acme.sh" >"$word" ;; esac
        previous=$word
      done`,
  }
  await mkdir(join(folder, 'bin'))
  for (const [name, script] of Object.entries(programs))
    await writeFile(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const folders = blockWith('install -d -m 0750 -g petstore /etc/petstore/tls')
  for (const [first, then, name] of [
    [blockWith('renewal-hooks'), blockWith('--webroot-path /var/lib/petstore-acme'), 'certbot'],
    [blockWith('acme.sh --issue --standalone'), '', 'acme.sh'],
  ] as const) {
    const { printed, status } = runInOwnRoot(
      `useradd --system --user-group petstore
      rm -rf /etc/letsencrypt; mkdir -p /etc/petstore
      [ ${name} != certbot ] || { mkdir /etc/letsencrypt; touch /etc/letsencrypt/cli.ini; }
      cd ${folder}
      ${folders}${first}${then}
      cat /etc/petstore/tls/cert.pem; stat -c '%a %U %G' /etc/petstore/tls/*.pem`,
      { PATH: `${folder}/bin:${process.env.PATH}` },
    )
    assert.equal(status, 0, printed)
    assert.match(printed, RegExp(`certificate (?:1 )?of ${name}\\n640 root petstore\\n640 root petstore\\n$`))
  }
})

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
