import assert from 'node:assert/strict'
import { test } from 'node:test'
import client from '../../client/package.json' with { type: 'json' }
import { releaseNotes } from '../../release/changelog.ts'
import { PYTHON_VERSION, read, VERSION } from '../../release/repository.ts'
import { versionMentions } from '../../release/version.ts'

const CHANGELOG = read('CHANGELOG.md')
const HEADINGS = [...CHANGELOG.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading)

test('the changelog begins with the unreleased changes, followed by dated versions, newest first', () => {
  assert.equal(HEADINGS[0], 'Unreleased')
  const releases = HEADINGS.slice(1).map(heading => /^(\d+\.\d+\.\d+) - (\d{4}-\d\d-\d\d)$/.exec(heading) ?? [heading])
  assert.deepEqual(
    releases.filter(([, version]) => version === undefined),
    [],
  )
  const numbers = releases.map(([, version = '']) => version)
  assert.deepEqual(numbers, numbers.toSorted(compareVersions).reverse())
  const dates = releases.map(([, , date = '']) => date)
  assert.deepEqual(dates, dates.toSorted().reverse())
})

test("every section of a version is one of Keep a Changelog's, or about upgrading", () => {
  const sections = new Set([...CHANGELOG.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading))
  const known = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']
  const others = [...sections].filter(section => !known.includes(section as string))
  assert.deepEqual(
    others.filter(section => !/^(Upgrade from \d|From an unreleased commit)/.test(section as string)),
    [],
  )
})

test('an entry of the changelog has at most four lines', () => {
  const entries = CHANGELOG.split(/^- /m)
    .slice(1)
    .map(entry => entry.split(/\n(?! {2})/)[0] as string)
  assert.ok(entries.length > 30)
  assert.deepEqual(
    entries.filter(entry => entry.split('\n').length > 4),
    [],
  )
})

test('the version of the service and of its clients is the newest of the changelog, or a later development version', () => {
  const newest = HEADINGS[1]?.split(' ')[0] ?? ''
  if (VERSION.endsWith('-dev')) assert.ok(compareVersions(VERSION.replace('-dev', ''), newest) > 0, VERSION)
  else assert.equal(newest, VERSION)
  assert.equal(client.version, VERSION)
  const mentions = versionMentions()
  assert.ok(mentions.length > 5)
  assert.deepEqual(
    mentions.filter(({ version, isPython }) => version !== (isPython ? PYTHON_VERSION : VERSION)),
    [],
    'npm run release:version sets them all',
  )
})

test('release notes are the section of one version', () => {
  const changelog =
    '# Changelog\n\n## Unreleased\n\n- c\n\n## 1.1.0 - 2026-01-02\n\n### Added\n\n- b\n\n## 1.0.0 - 2026-01-01\n\n- a\n'
  assert.equal(releaseNotes('1.1.0', changelog), '### Added\n\n- b\n')
  assert.equal(releaseNotes('1.0.0', changelog), '- a\n')
  assert.equal(releaseNotes('1.2.0-dev', changelog), '- c\n')
  assert.throws(() => releaseNotes('1.2.0', changelog), /no section "## 1\.2\.0 - YYYY-MM-DD"/)
  assert.throws(() => releaseNotes('1.0.0', changelog.replace(' - 2026-01-01', '')), /no section/)
})

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map(version => version.split('.').map(Number))
  const index = [0, 1, 2].find(part => left?.[part] !== right?.[part]) ?? 0
  return (left?.[index] ?? 0) - (right?.[index] ?? 0)
}
