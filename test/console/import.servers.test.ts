import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import type { Page } from '../../tools/playwright.ts'
import { eventually } from '../support/eventually.ts'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { assertAccessible, buildConsoleVisit } from '../support/servers/console.ts'
import { pack, workbookParts } from '../support/workbook.ts'

// Files of animals in the console: choosing, checking and importing them, failures on the way, and exporting.

const service = await startOperatorService({ after })
const visit = buildConsoleVisit({ after })

const SHELTER = 'Animal;kind;state;remark\nRex;1;available;a\nBella;12-1;sold;b\nאבגדה;2;sold;c\n'
const IMPORT = /\/pets\/import\?/

function choose(page: Page, text: string | Buffer, name = 'animals.csv') {
  const buffer = typeof text === 'string' ? Buffer.from(text) : text
  return page.getByLabel('File to import').setInputFiles({ name, mimeType: 'text/csv', buffer })
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name })
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const badLine = (page: Page, name: string) => page.locator('.bad-lines summary').filter({ hasText: name }).first()

/** As many animals as the service has. */
async function countAnimals(): Promise<number> {
  const { value } = await service.call('GET', '/pets/totals')
  return Number(value.total)
}

test('a file is recognised, checked, corrected by choice, and imported', IN_BROWSER, async t => {
  const page = await visit(t, service, '/import')
  const before = await countAnimals()
  await choose(page, SHELTER)
  await heading(page, 'Columns').waitFor()
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Animal')
  assert.equal(await page.getByLabel('Category', { exact: true }).inputValue(), 'kind')
  await page.getByText('Detected: Semicolon').waitFor({ state: 'attached' })
  await page.getByRole('cell', { name: 'אבגדה' }).waitFor()

  await button(page, 'Check the file').click()
  await heading(page, 'There is a bad line').waitFor()
  await page.getByText('Correct the bad line in the file').waitFor()
  assert.equal(await countAnimals(), before)
  await badLine(page, 'Line 3').click()
  await page.locator('.bad-line-all').getByText('12-1', { exact: true }).waitFor()
  await page
    .locator('.bad-line-all')
    .getByText('Category must be a whole number, such as 12; "12-1" is not one.')
    .waitFor()

  await button(page, 'Leave out 1 of 3 lines').click()
  await page.getByText('2 animals would be added. 1 bad line is left out.').waitFor()
  assert.equal(await countAnimals(), before)
  await button(page, 'Import 2 animals').click()
  await page.getByText('2 animals were added. 1 bad line was left out.').waitFor()
  assert.equal(await countAnimals(), before + 2)
  assert.match((await page.getByRole('link', { name: 'Show the animals' }).getAttribute('href')) ?? '', /\/animals/)
})

test('unknown values get a meaning, the most frequent first, or become new categories', IN_BROWSER, async t => {
  await service.call('PUT', '/categories/41', { body: { label: 'Cats' } })
  const page = await visit(t, service, '/import')
  const before = await countAnimals()
  await choose(
    page,
    'Animal Name,Category,Status\nRex,Dogs,Adopted\nTom,cats,Available\nKit,Dogs,adopted\nZoe,Kittens,Foster\nMax,7.0,SOLD\n',
  )
  await button(page, 'Check the file').click()
  await heading(page, 'What do these values mean?').waitFor()
  assert.equal(await page.locator('[aria-current=step]').innerText(), 'Values')
  await assertAccessible(page, 'the choice of meanings')
  const labels = await page.locator('section[aria-labelledby=unknown-values] label').allInnerTexts()
  assert.deepEqual(
    labels.slice(0, 4).map(label => label.trim()),
    [...['Category “Dogs”', 'Status “Adopted”'], ...['Category “Kittens”', 'Status “Foster”']],
  )
  assert.match((await button(page, 'Leave out 3 of 5 lines').getAttribute('class')) ?? '', /^(?!.*button-primary)/)
  await page.getByLabel('Status “Adopted”').selectOption('sold')
  await page.getByLabel('Status “Foster”').selectOption('pending')
  await page.getByLabel('Category “Kittens”').selectOption('Cats')
  await page.getByLabel('Add the other categories as new ones').check()
  await button(page, 'Check the file again').click()
  await button(page, 'Import 5 animals').click()
  await page.getByText('5 animals were added.').waitFor()
  assert.equal(await countAnimals(), before + 5)
  const { value } = await service.call('GET', '/pets?sort=newest&limit=5')
  assert.deepEqual(
    value.map(({ name, categoryLabel, status }: Record<string, unknown>) => [name, categoryLabel, status]).toReversed(),
    [
      ['Rex', 'Dogs', 'sold'],
      ['Tom', 'Cats', 'available'],
      ['Kit', 'Dogs', 'sold'],
      ['Zoe', 'Cats', 'pending'],
      ['Max', null, 'sold'],
    ],
  )

  // A file with the same columns has the same meanings, which can be changed.
  await button(page, 'Import another file').click()
  await choose(page, 'Animal Name,Category,Status\nFay,kittens,Adopted\nLeo,41,foster\n')
  await button(page, 'Check the file').click()
  await page.getByText('1 line, chosen as on').first().waitFor()
  assert.equal(await page.getByLabel('Status “Adopted”').inputValue(), 'sold')
  await page.getByLabel('Status “foster”').selectOption('available')
  await button(page, 'Check the file again').click()
  await button(page, 'Import 2 animals').click()
  await page.getByText('2 animals were added.').waitFor()
  const { value: newest } = await service.call('GET', '/pets?sort=newest&limit=2')
  assert.deepEqual(
    newest.map(({ name, categoryLabel, status }: Record<string, unknown>) => [name, categoryLabel, status]),
    [
      ['Leo', 'Cats', 'available'],
      ['Fay', 'Cats', 'sold'],
    ],
  )
})

test('the steps of an import do not go backwards when its values are checked', IN_BROWSER, async t => {
  const page = await visit(t, service, '/import')
  const step = () => page.locator('[aria-current=step]').innerText()
  await choose(page, 'name,category,status\nRex,1,Given away\nTom,12-1,sold\n')
  await button(page, 'Check the file').click()
  await page.getByLabel('Status “Given away”').selectOption('sold')
  const looked = Promise.withResolvers<void>()
  await page.route(IMPORT, async route => {
    await looked.promise
    await route.continue()
  })
  await button(page, 'Check the file again').click()
  await heading(page, 'Checking the file').waitFor()
  assert.equal(await step(), 'Values')
  looked.resolve()
  await heading(page, 'There is a bad line').waitFor()
  assert.equal(await step(), 'Values')
  await button(page, 'Leave out 1 of 2 lines').click()
  await button(page, 'Import 1 animal').waitFor()
  assert.equal(await step(), 'Import')
  await button(page, 'Back to the options').click()
  await heading(page, 'Columns').waitFor()
  assert.equal(await step(), 'Check')
})

test('a workbook is imported from the sheet that is chosen', IN_BROWSER, async t => {
  const page = await visit(t, service, '/import')
  const rows = (name: string) => [
    ['Name', 'Category'],
    [name, 3],
  ]
  const file = pack(workbookParts({ Dogs: { rows: rows('Rex') }, Cats: { rows: rows('Tomcat') } }))
  await choose(page, file, 'animals.xlsx')
  await page.getByRole('cell', { name: 'Rex' }).waitFor()
  await page.getByText('How the file is read').click()
  await page.getByLabel('Sheet', { exact: true }).selectOption('Cats')
  await page.getByRole('cell', { name: 'Tomcat' }).waitFor()
  await assertAccessible(page, 'the options of a workbook')
  await button(page, 'Check the file').click()
  await button(page, 'Import 1 animal').click()
  await page.getByText('1 animal was added.').waitFor()
  const { value } = await service.call('GET', '/pets?sort=newest&limit=1')
  assert.partialDeepStrictEqual(value, [{ name: 'Tomcat', categoryId: 3n }])
})

test('while the service reads a file, or cannot, the screen says so', IN_BROWSER, async t => {
  const page = await visit(t, service, '/import')
  await page.route('**/pets/import/preview*', () => {})
  await choose(page, 'name;category\nRex;7\n')
  await page.locator('#screen').getByText('Loading …').waitFor()
  assert.equal(await button(page, 'Check the file').isDisabled(), true)
})

test(
  'a column without a name is shown as not imported, and the one of the names must be chosen',
  IN_BROWSER,
  async t => {
    const page = await visit(t, service, '/import', { mayComplain: /409/ })
    await choose(page, 'Our list,,of 2027\nRex,x,7\n')
    await heading(page, 'Columns').waitFor()
    assert.deepEqual(await page.locator('.import-member').allInnerTexts(), Array(3).fill('Not imported'))
    await button(page, 'Check the file').click()
    const words = 'Choose the column of the names, or enter a name for animals without one.'
    await page.getByText(words).first().waitFor()
    assert.equal(await page.getByLabel('Name', { exact: true }).getAttribute('aria-invalid'), 'true')
  },
)

test('rows that are pasted from a spreadsheet are imported', IN_BROWSER, async t => {
  const page = await visit(t, service, '/import')
  await page.getByLabel('Or paste rows from a spreadsheet').evaluate(element => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', 'Pet name\tSpecies\nPasted\t5\n')
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })
  await page.getByRole('cell', { name: 'Pasted' }).waitFor()
  await button(page, 'Check the file').click()
  await button(page, 'Import 1 animal').click()
  await page.getByText('1 animal was added.').waitFor()
  const { value } = await service.call('GET', '/pets?sort=newest&limit=1')
  assert.partialDeepStrictEqual(value, [{ name: 'Pasted', categoryId: 5n }])
})

test('columns are chosen, and defaults fill what is empty', IN_BROWSER, async t => {
  const page = await visit(t, service, '/import', { mayComplain: /400/ })
  await choose(page, 'who,note\nMax,x\n')
  const name = page.getByLabel('Name', { exact: true })
  await name.selectOption('note')
  await page.getByText('How the file is read').click()
  const delimiter = page.getByLabel('Columns are separated by')
  for (const other of ['tab', 'comma']) await delimiter.selectOption(other)
  await eventually(async () => assert.equal(await name.inputValue(), '', 'read in another way, it has other columns'))
  await name.selectOption('who')
  await page.getByLabel('Category of animals without one').fill('dogs')
  await button(page, 'Check the file').click()
  await page.getByText('Enter the number of a category, such as 7.').first().waitFor()
  await page.getByLabel('Category of animals without one').fill('7')
  await page.getByLabel('Status of animals without one').selectOption('pending')
  await button(page, 'Check the file').click()
  await button(page, 'Import 1 animal').click()
  await page.getByText('1 animal was added.').waitFor()
  const { value } = await service.call('GET', '/pets?sort=newest&limit=1')
  assert.partialDeepStrictEqual(value, [{ name: 'Max', categoryId: 7n, status: 'pending' }])
})

test('a file is not checked before it has been read as chosen', IN_BROWSER, async t => {
  const page = await visit(t, service, '/import')
  await choose(page, 'name;category\nRex;7\n')
  const check = button(page, 'Check the file')
  await check.and(page.locator(':enabled')).waitFor()
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/pets/import/preview*', async route => {
    await answered
    await route.continue()
  })
  await page.getByText('How the file is read').click()
  await page.getByLabel('Columns are separated by').selectOption('comma')
  await check.and(page.locator(':disabled')).waitFor()
  answer()
  await check.and(page.locator(':enabled')).waitFor()
})

test(
  'an encoding that the file does not show is chosen by its lines, also if they are far behind',
  IN_BROWSER,
  async t => {
    const page = await visit(t, service, '/import')
    const line = Buffer.from('\xcc\xf3\xf0\xea\xe0;7\n', 'latin1')
    const parts = [Buffer.from(`name;category\n${'Rex;7\n'.repeat(40_000)}`), line, Buffer.from('Rex;7\n')]
    for (const [file, count] of [
      [Buffer.concat([Buffer.from('name;category\n'), line]), '1 animal'],
      [Buffer.concat(parts), '40,002 animals'],
    ] as const) {
      await choose(page, file)
      await heading(page, 'Text encoding').waitFor()
      await assertAccessible(page, 'the choice of an encoding')
      assert.equal(await button(page, 'Check the file').isDisabled(), true)
      await page.getByText('Choose the text encoding above first.').waitFor()
      await page.getByLabel('Windows-1253 (Greek)').check()
      await page.getByText('the text encoding is Windows-1253 (Greek)').waitFor({ state: 'attached' })
      await page.getByRole('radio', { name: /Windows-1251 \(Cyrillic\)\s*\u041c\u0443\u0440\u043a\u0430;7/ }).check()
      await page.getByText('the text encoding is Windows-1251 (Cyrillic)').waitFor({ state: 'attached' })
      await button(page, 'Check the file').click()
      await button(page, `Import ${count}`).click({ timeout: 50_000 })
      await page.getByText('The import is finished').waitFor({ timeout: 50_000 })
      const { value } = await service.call('GET', '/pets?sort=newest&limit=2')
      assert.ok(value.some(({ name }: { name: string }) => name === '\u041c\u0443\u0440\u043a\u0430'))
      await button(page, 'Import another file').click()
    }
  },
)

test('NDJSON in UTF-16, as a Windows shell writes it, is shown and imported', IN_BROWSER, async t => {
  const page = await visit(t, service, '/import')
  await choose(page, Buffer.from('\ufeff{"name":"Zo\u00eb","categoryId":7}\r\n', 'utf16le'), 'pets.ndjson')
  await page.getByText('{"name":"Zo\u00eb","categoryId":7}').waitFor()
  await button(page, 'Check the file').click()
  await button(page, 'Import 1 animal').click()
  await page.getByText('1 animal was added.').waitFor()
})

test('animals are corrected by their ids', IN_BROWSER, async t => {
  const { value: rex } = await service.call('POST', '/pets', { body: { name: 'Rexx', categoryId: 1 } })
  const page = await visit(t, service, '/import')
  await choose(page, `id,name\n${rex.id},Rex\n`)
  await page.getByLabel('Correct existing animals').check()
  await button(page, 'Check the file').click()
  await page.getByText('1 animal would change.').waitFor()
  await button(page, 'Correct 1 animal').click()
  await page.getByText('1 animal was corrected.').waitFor()
  assert.equal((await service.call('GET', `/pets/${rex.id}`)).value.name, 'Rex')
})

test('a number that was given before is refused as the number of the animal, not as its id', IN_BROWSER, async t => {
  const { value: rex } = await service.call('POST', '/pets', { body: { name: 'Rex', categoryId: 1 } })
  const page = await visit(t, service, '/import')
  await choose(page, `name,category,id\nBella,1,${rex.id}\n`)
  await button(page, 'Check the file').click()
  await badLine(
    page,
    `Number ${rex.id} may have been given before, and ids are never reused. To change that animal, import the file as`,
  ).waitFor()
})

test('200,000 lines of NDJSON with 37 bad ones are checked, listed and downloaded', IN_BROWSER, async t => {
  const page = await visit(t, service, '/import')
  const before = await countAnimals()
  const lines = Array.from({ length: 200_000 }, (_, at) =>
    at % 5_400 === 5_399
      ? `{"name":"Bad ${at}","categoryId":"=cats"}`
      : `{"name":"Animal ${at}","categoryId":${at % 9}}`,
  )
  await choose(page, `${lines.join('\n')}\n`, 'many.ndjson')
  await heading(page, 'The first 20 lines').waitFor()
  await button(page, 'Check the file').click()
  await heading(page, 'Checking the file').waitFor()
  await page.getByText('Correct the 37 bad lines').waitFor({ timeout: 50_000 })
  await badLine(page, 'Line 5,400').waitFor()
  assert.equal(await page.locator('.bad-lines li').count(), 37)
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Download the bad lines').click()])
  const file = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\r\n')
  assert.equal(file.length, 38)
  assert.equal(file[0], '\ufeffid,name,categoryId,status,problem (not imported)')
  assert.match(file[1] ?? '', /^,Bad 5399,'=cats,,"line 5400: categoryId must be a whole number/)

  await button(page, 'Leave out 37 of 200,000 lines').click()
  await button(page, 'Import 199,963 animals').click({ timeout: 50_000 })
  await page.getByText('199,963 animals were added.').waitFor({ timeout: 50_000 })
  assert.equal(await countAnimals(), before + 199_963)
})

test(
  'a hundred thousand bad lines are read in chunks: the first are shown, and the download has all of them',
  IN_BROWSER,
  async t => {
    const page = await visit(t, service, '/import')
    await choose(page, `name,category\n${'"Bad {[ ""one"" \\",x\n'.repeat(100_000)}`)
    await button(page, 'Check the file').click()
    await page.getByText('The first 1,000 of 100,000.').waitFor({ timeout: 50_000 })
    assert.equal(await page.locator('.bad-lines li').count(), 1_000)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      button(page, 'Download the bad lines').click(),
    ])
    assert.equal(readFileSync(await download.path(), 'utf8').split('\r\n').length, 100_002)
  },
)

test('an upload that is cut off changes nothing, and is repeated with the same choices', IN_BROWSER, async t => {
  const page = await visit(t, service, '/import', { mayComplain: /ERR_CONNECTION|ERR_FAILED/ })
  await choose(page, 'who;category\nLuna;3\n')
  await page.getByLabel('Name', { exact: true }).selectOption('who')
  await page.route(IMPORT, route => route.abort('connectionreset'))
  await button(page, 'Check the file').click()
  await page.getByText('The file did not arrive. Nothing was changed.').waitFor()
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'who')
  await page.unroute(IMPORT)
  await button(page, 'Check the file').click()
  await button(page, 'Import 1 animal').waitFor()

  await page.route(IMPORT, route => route.abort('connectionreset'))
  const before = await countAnimals()
  await button(page, 'Import 1 animal').click()
  await heading(page, 'The connection was lost').waitFor()
  await page.getByText('The file did not arrive. Nothing was changed.').waitFor()
  await page.unroute(IMPORT)
  await button(page, 'Import 1 animal').click()
  await page.getByText('1 animal was added.').waitFor()
  assert.equal(await countAnimals(), before + 1)
})

test('an import whose response is lost is found in the audit log, and not repeated', IN_BROWSER, async t => {
  const page = await visit(t, service, '/import', { mayComplain: /ERR_CONNECTION|ERR_FAILED/ })
  await choose(page, 'name,category\nLost,1\n', 'lost.csv')
  await button(page, 'Check the file').click()
  await button(page, 'Import 1 animal').waitFor()
  await page.route(IMPORT, async route => {
    await route.fetch()
    await route.abort('connectionreset')
  })
  const before = await countAnimals()
  await button(page, 'Import 1 animal').click()
  await page.getByText('1 animal was added.').waitFor()
  assert.equal(await countAnimals(), before + 1)
})

test('an import whose response is lost may still run on another instance', IN_BROWSER, async t => {
  const page = await visit(t, service, '/import', { mayComplain: /ERR_CONNECTION|ERR_FAILED/ })
  await choose(page, 'name,category\nRex,1\n')
  await button(page, 'Check the file').click()
  await button(page, 'Import 1 animal').waitFor()
  await page.route('**/admin/v1/health', async route => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), instances: 2 } })
  })
  await page.route(IMPORT, route => route.abort('connectionreset'))
  await button(page, 'Import 1 animal').click()
  await page.getByText('It is not known whether the import was carried out.').waitFor()
})

test('leaving is guarded while a file is uploaded', IN_BROWSER, async t => {
  const page = await visit(t, service, '/import', { mayComplain: /ERR_FAILED/ })
  await choose(page, 'name,category\nRex,1\n')
  await page.route(IMPORT, () => {})
  await button(page, 'Check the file').click()
  await heading(page, 'Checking the file').waitFor()
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('dialog', { name: 'Stop the check and leave?' }).waitFor()
  await button(page, 'Cancel').click()
  await heading(page, 'Checking the file').waitFor()
  await page.getByRole('link', { name: 'Overview' }).click()
  await button(page, 'Stop and leave').click()
  await heading(page, 'Overview').waitFor()
  await page.getByRole('link', { name: 'Import' }).click()
  await heading(page, 'Columns').waitFor()
})

test('files that cannot be imported are refused in words', IN_BROWSER, async t => {
  const page = await visit(t, service, '/import', { mayComplain: /409/ })
  await choose(page, 'PK\u0003\u0004...', 'animals.xlsx')
  await page.getByText('The workbook cannot be read: it is damaged').waitFor()
  await button(page, 'Choose another file').click()
  await choose(page, Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), 'rex.csv')
  await page.getByText('The file is a picture').waitFor()
  await choose(page, '[{"name":"Rex"}]', 'rex.json')
  await page.getByText('The file is a JSON array').waitFor()
  await choose(page, Buffer.from([1, 0, 0, 0, 0xff]), 'rex.csv')
  await page.getByText('The file does not contain text.').waitFor()
  await choose(page, '', 'nothing.csv')
  await page.getByText('The file is empty.').waitFor()
  await choose(page, 'Rex;1;available\nTom;2;sold\n')
  await page.getByText('Line 1 looks like an animal').waitFor()
  assert.equal(await heading(page, 'Columns').count(), 0)
  await button(page, 'Choose another file').click()
  await choose(page, 'colour,age\nred,3\n')
  await button(page, 'Check the file').click()
  await page.getByText('Choose the column of the names, or enter a name for animals without one.').first().waitFor()
})

test('a file in UTF-16 is text, with or without a byte order mark', IN_BROWSER, async t => {
  const page = await visit(t, service, '/import')
  for (const mark of ['\ufeff', '']) {
    const buffer = Buffer.from(`${mark}name;category\r\nRex;1\r\n`, 'utf16le')
    await page.getByLabel('File to import').setInputFiles({ name: 'animals.txt', mimeType: 'text/plain', buffer })
    await heading(page, 'Check the file').waitFor()
    await button(page, 'Choose another file').click()
  }
})

test('before an import, the operator sees how many animals already exist', IN_BROWSER, async t => {
  const empty = await startOperatorService(t)
  const page = await visit(t, empty, '/import')
  const check = async () => {
    await choose(page, 'name,category\nRex,1\n')
    await button(page, 'Check the file').click()
    await button(page, 'Import 1 animal').waitFor()
  }
  const warning = page.getByText('There is already 1 animal.')
  await check()
  assert.equal(await warning.count(), 0)
  await button(page, 'Import 1 animal').click()
  await button(page, 'Import another file').click()
  await check()
  await warning.waitFor()
})

test(
  'a file can be dropped anywhere on the page, and does not replace the page or the file that was chosen',
  IN_BROWSER,
  async t => {
    const page = await visit(t, service, '/import')
    await heading(page, 'Drop a file here').waitFor()
    const drop = (place: string, name: string) =>
      page.locator(place).evaluate((element, name) => {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File(['name,category\nRex,1\n'], name))
        // The browser opens the file unless this event is cancelled.
        return !element.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
      }, name)
    assert.equal(await drop('h1', 'dropped.csv'), true)
    await page.getByText('dropped.csv').waitFor()
    await heading(page, 'Columns').waitFor()
    assert.equal(await drop('h1', 'another.csv'), true)
    assert.equal(await page.getByText('another.csv').count(), 0)
    await page.getByText('dropped.csv').waitFor()
  },
)

test('an export is a link with its format and delimiter, first the usual one of the country', IN_BROWSER, async t => {
  await service.call('POST', '/pets', { body: { name: '=Exported', categoryId: 4_242 } })
  for (const [locale, usual] of [
    ['en-GB', 'comma'],
    ['de-DE', 'semicolon'],
  ] as const) {
    const page = await visit(t, service, '/import', { locale })
    await button(page, 'Export all animals').click()
    await page.getByRole('radio', { name: 'CSV' }).check()
    assert.equal(await page.getByLabel('Columns are separated by').inputValue(), usual)
  }
  const page = await visit(t, service, '/import')
  await button(page, 'Export all animals').click()
  await page.getByRole('radio', { name: 'CSV' }).check()
  await page.getByLabel('Columns are separated by').selectOption('semicolon')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download' }).click(),
  ])
  assert.match(download.suggestedFilename(), /^animals-\d{4}-\d\d-\d\d\.csv$/)
  const text = readFileSync(await download.path(), 'utf8')
  assert.match(text, /^\ufeffid;name;categoryId;categoryLabel;status\n/)
  assert.match(text, /;'=Exported;4242;;available\n/)
})

for (const width of [390, 768, 1440]) {
  test(`axe finds nothing in an import, ${width} wide`, IN_BROWSER, async t => {
    const page = await visit(t, service, '/import', { viewport: { width, height: 844 } })
    await heading(page, 'Import animals').waitFor()
    await assertAccessible(page, 'choosing a file')
    await choose(page, SHELTER)
    await heading(page, 'Columns').waitFor()
    await assertAccessible(page, 'preparing')
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'preparing')
    const looked = Promise.withResolvers<void>()
    await page.route(IMPORT, async route => {
      await looked.promise
      await route.continue()
    })
    await button(page, 'Check the file').click()
    await heading(page, 'Checking the file').waitFor()
    await assertAccessible(page, 'checking')
    looked.resolve()
    await badLine(page, 'Line 3').click()
    await assertAccessible(page, 'bad lines')
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'bad lines')
    await button(page, 'Export all animals').click()
    await page.getByRole('dialog').waitFor()
    await assertAccessible(page, 'exporting')
  })
}
