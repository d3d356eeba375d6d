import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import type { BadLine } from '../../console/src/api/schema.ts'
import { reasonInWords, sharedReasonInWords } from '../../console/src/parts/words/members.ts'
import { OPERATOR_GUIDES } from '../../site/guides/guides.ts'
import { MAX_PETS_CHANGED, MAX_SELECTED_IDS } from '../../src/domain/pet-selection.ts'
import { SESSION_MS } from '../../src/domain/session.ts'
import { OWN_LINK_SECONDS } from '../../src/domain/sign-in-link.ts'
import { FAILURES_PER_MINUTE } from '../../src/operator/credential-limiter.ts'
import { ROOT, tableIn, textOf } from '../support/guide-texts.ts'
import { startOperatorService } from '../support/operator.ts'

// The guides for operators use the labels of the console, and match the service.

const STAFF = 'operators/care-for-animals'
const ADMINS = 'operators/run-the-console'
const CONSOLE = globSync('console/src/**/*.{ts,tsx}', { cwd: ROOT })
  .map(file => readFileSync(ROOT + file, 'utf8'))
  .join('\n')

const service = await startOperatorService({ after })

test('every label in bold is one of the console', () => {
  for (const guide of OPERATOR_GUIDES) {
    const labels = [...textOf(`operators/${guide}`).matchAll(/\*\*([^*]+?)[.:]?\*\*/g)].map(([, label = '']) =>
      label.replaceAll(/\s+/g, ' '),
    )
    assert.ok(labels.length > 20, `${labels.length} labels in ${guide}`)
    // Placeholders for numbers and names in a label are left out.
    const parts = labels.filter(label => !LEADS.has(label)).flatMap(label => label.split(/ … ?/))
    assert.deepEqual(
      parts.filter(part => !CONSOLE.includes(part)),
      [],
      guide,
    )
  }
})

/** The first words of an item, which are not labels. */
const LEADS = new Set([
  'A link',
  'A token',
  'The name',
  'The status',
  'Prepare the file',
  'Choose it',
  'Say what it is',
  'Look at the columns',
  'Say what values mean',
  'Under a path prefix',
])

test('the numbers in the guides are those of the code', () => {
  const minutes = OWN_LINK_SECONDS / 60
  const failures = FAILURES_PER_MINUTE
  for (const [guide, words] of [
    [STAFF, `Open it within ${minutes === 5 ? 'five' : minutes} minutes.`],
    [ADMINS, `Open it within ${minutes === 5 ? 'five' : minutes} minutes:`],
    [STAFF, `You stay signed in for ${SESSION_MS / 3_600_000} hours.`],
    [ADMINS, `A browser stays signed in for ${SESSION_MS / 3_600_000} hours.`],
    [
      STAFF,
      `Up to ${MAX_SELECTED_IDS.toLocaleString('en')} ticked animals, or ${MAX_PETS_CHANGED.toLocaleString('en')} that match,`,
    ],
    [ADMINS, `After ${failures === 10 ? 'ten' : failures} wrong tokens from one address in a minute`],
    [ADMINS, `The overview warns ${constantIn('EXPIRY_DAYS')} days before.`],
  ] as const) {
    assert.ok(textOf(guide).replaceAll(/\s+/g, ' ').includes(words), words)
  }
})

test('the reasons of bad lines are those of an import', async () => {
  const [rex] = await Promise.all(
    ['Rex', 'Bella'].map(name => service.call('POST', '/pets', { body: { name, categoryId: 1 } })),
  )
  assert.ok(rex)
  const lines = [';1;sold', '#N/A;1;sold', 'Rex;dogs;sold', 'Rex;1/2;sold', 'Rex;1;lost', 'Total: 2;1;']
  lines.push('Rex;1', '"Rex;1;sold')
  const bad = [
    ...(await reasonsOf(`name;categoryId;status\n${lines.join('\n')}\n`, '')),
    ...(await reasonsOf('id;name\n999;Rex\n', '&mode=update')),
    ...(await reasonsOf('id;name;categoryId\n2;Rex;1\n', '')),
  ]
  assert.deepEqual(
    tableIn(STAFF, 'Import a spreadsheet').map(([reason = ''], index) =>
      bad[index]?.startsWith(reason) ? reason : bad[index],
    ),
    tableIn(STAFF, 'Import a spreadsheet').map(([reason = '']) => reason),
  )
  assert.equal(bad.length, tableIn(STAFF, 'Import a spreadsheet').length)
})

test('the example of a file can be imported', async () => {
  const [, example = ''] = /```csv\n(.*?)```/s.exec(textOf(STAFF)) ?? []
  const body = example.replaceAll(/^ +/gm, '')
  const answer = await service.call('POST', '/pets/import?dryRun=true&categoryIdColumn=category', {
    body,
    type: 'text/csv',
  })
  assert.equal(answer.value.outcome, 'checked', answer.text)
  assert.equal(answer.value.imported, 2n)
})

/** In the form that the console shows. */
async function reasonsOf(body: string, query: string): Promise<string[]> {
  const answer = await service.call('POST', `/pets/import?dryRun=true${query}`, { body, type: 'text/csv' })
  return answer.value.bad.map(({ reason, problems: [first] }: BadLine) =>
    first ? reasonInWords(first) : sharedReasonInWords(reason),
  )
}

function constantIn(name: string): string {
  return new RegExp(`\\b${name} = ([\\d_]+)`).exec(CONSOLE)?.[1]?.replaceAll('_', '') ?? ''
}
