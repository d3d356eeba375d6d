import assert from 'node:assert/strict'
import { rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Issued, makeAuthority } from '../../test/support/certificates.ts'
import { temporaryFolder } from '../../test/support/folder.ts'
import { RenewableKeyPair } from './renewable-key-pair.ts'

const NOW = Date.now()
const DAY_MS = 86_400_000
const authority = makeAuthority()
const first = authority.issue()
const second = authority.issue()

test('files that are written again are used at the second look that finds them', async t => {
  const { pair, write } = await open(t, first)
  assert.equal(await pair.refresh(NOW), undefined)
  await write(second)
  assert.equal(await pair.refresh(NOW), undefined)
  assert.equal(pair.current.key, first.key)
  assert.deepEqual(await pair.refresh(NOW), { renewed: pair.current })
  assert.deepEqual([pair.current.cert, pair.current.key], [second.cert, second.key])
  assert.equal(await pair.refresh(NOW), undefined)
})

test('symbolic links that change are followed, as certbot changes them', async t => {
  const folder = await temporaryFolder(t)
  const place = async (name: string, { cert, key }: Issued) => {
    await writeFile(join(folder, `cert-${name}.pem`), cert)
    await writeFile(join(folder, `key-${name}.pem`), key)
  }
  const link = async (file: string, target: string) => {
    await symlink(target, join(folder, 'new-link'))
    await rename(join(folder, 'new-link'), join(folder, file))
  }
  await place('1', first)
  await link('cert.pem', 'cert-1.pem')
  await link('key.pem', 'key-1.pem')
  const pair = await RenewableKeyPair.open(filesIn(folder))
  await place('2', second)
  await link('key.pem', 'key-2.pem')
  assert.equal(await pair.refresh(NOW), undefined)
  await link('cert.pem', 'cert-2.pem')
  assert.equal(await pair.refresh(NOW), undefined)
  assert.ok('renewed' in ((await pair.refresh(NOW)) ?? {}))
  assert.equal(pair.current.key, second.key)
})

test('while a tool is still writing, nothing is used and nothing is reported', async t => {
  const { pair, folder, write } = await open(t, first)
  const steps: Partial<Issued>[] = [
    { cert: '' },
    { cert: second.cert.slice(0, 300) },
    { cert: second.cert },
    { key: '' },
    { key: second.key.slice(0, 30) },
  ]
  for (const step of steps) {
    await write(step)
    assert.equal(await pair.refresh(NOW), undefined)
  }
  await rm(join(folder, 'key.pem'))
  assert.equal(await pair.refresh(NOW), undefined)
  assert.equal(pair.current.key, first.key)
  await write(second)
  await pair.refresh(NOW)
  assert.ok('renewed' in ((await pair.refresh(NOW)) ?? {}))
})

test('files that cannot be used are reported once, and the previous pair stays', async t => {
  const { pair, folder, write } = await open(t, first)
  const problem = async () => {
    await pair.refresh(NOW)
    const found = await pair.refresh(NOW)
    for (let look = 0; look < 3; look++) assert.equal(await pair.refresh(NOW), undefined)
    assert.deepEqual([pair.current.cert, pair.current.key], [first.cert, first.key])
    return found && 'problem' in found ? found.problem : undefined
  }
  await write({ cert: second.cert })
  assert.match((await problem()) ?? '', /^CERT: .* does not belong to the key in /)
  await write({ cert: 'x' })
  assert.match((await problem()) ?? '', /^CERT: .* contains no certificate/)
  await rm(join(folder, 'cert.pem'))
  assert.match((await problem()) ?? '', /^CERT: .* does not exist\.$/)
  await write(first)
  assert.equal(await problem(), undefined)
  await rm(join(folder, 'cert.pem'))
  assert.match((await problem()) ?? '', /^CERT: .* does not exist\.$/, 'a problem that comes back is reported again')
})

test('an expired or a future certificate does not replace a valid one, but replaces another expired one', async t => {
  const expired = authority.issue({ from: NOW - 30 * DAY_MS, until: NOW - DAY_MS })
  const future = authority.issue({ from: NOW + DAY_MS, until: NOW + 30 * DAY_MS })
  const { pair, write } = await open(t, first)
  const look = async (now: number) => (await pair.refresh(now)) ?? pair.refresh(now)
  await write(expired)
  assert.match(JSON.stringify(await look(NOW)), /"problem":"CERT: .* expired on \d{4}-\d\d-\d\d\."/)
  await write(future)
  assert.match(JSON.stringify(await look(NOW)), /"problem":"CERT: .* is not valid before /)
  assert.equal(pair.current.key, first.key)
  assert.ok('renewed' in ((await look(NOW + 2 * DAY_MS)) ?? {}), 'it is used once it is valid')

  const another = await open(t, expired)
  await another.write(authority.issue({ from: NOW - 30 * DAY_MS, until: NOW - 1_000 }))
  await another.pair.refresh(NOW)
  assert.ok('renewed' in ((await another.pair.refresh(NOW)) ?? {}))
})

test('a certificate in force is replaced only by one without further problems, an expired one by any', async t => {
  const LONG_AGO = NOW - 90 * DAY_MS
  const isRenewed = async ({ pair, write }: Awaited<ReturnType<typeof open>>, issued: Issued) => {
    await write(issued)
    await pair.refresh(NOW)
    return 'renewed' in ((await pair.refresh(NOW)) ?? {})
  }
  const soon = await open(t, first)
  assert.equal(await isRenewed(soon, authority.issue({ from: LONG_AGO, until: NOW + DAY_MS })), true)
  assert.equal(await isRenewed(soon, authority.issue({ from: LONG_AGO, until: NOW - DAY_MS })), false)

  const intermediate = authority.delegate('Intermediate')
  const chained = () => {
    const { cert, key } = intermediate.issue()
    return { cert: cert + intermediate.cert, key }
  }
  const complete = await open(t, chained())
  assert.equal(await isRenewed(complete, intermediate.issue()), false)
  assert.match(complete.pair.refused ?? '', /lacks the certificate of its issuer/)
  assert.equal(await isRenewed(complete, chained()), true)
  assert.equal(complete.pair.refused, undefined)

  const otherHost = authority.issue({ names: ['other.example'] })
  assert.equal(await isRenewed(await open(t, first, 'localhost'), otherHost), false)
  const expired = authority.issue({ from: LONG_AGO, until: NOW - DAY_MS })
  assert.equal(await isRenewed(await open(t, expired, 'localhost'), otherHost), true)
})

async function open(t: TestContext, { cert, key }: Issued, hostname?: string) {
  const folder = await temporaryFolder(t)
  const files = filesIn(folder)
  async function write(texts: Partial<Issued>) {
    if (texts.cert !== undefined) await writeFile(files.cert.path, texts.cert)
    if (texts.key !== undefined) await writeFile(files.key.path, texts.key)
  }
  await write({ cert, key })
  return { pair: await RenewableKeyPair.open(files, hostname), folder, write }
}

function filesIn(folder: string) {
  return {
    cert: { setting: 'CERT', path: join(folder, 'cert.pem') },
    key: { setting: 'KEY', path: join(folder, 'key.pem') },
  }
}
