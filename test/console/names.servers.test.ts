import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Locator } from '../../tools/playwright.ts'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { buildConsoleVisit } from '../support/servers/console.ts'

// Names in scripts that are written from right to left.

const NAME = 'כלב גדול'

const service = await startOperatorService({ after })
await service.call('POST', '/pets', { body: { name: NAME, categoryId: 1, status: 'available' } })
const { id } = (await service.call('POST', '/accounts', { body: { name: NAME, plan: 'free' } })).value
const visit = buildConsoleVisit({ after })

test('right-to-left names begin where other names do in previews, not at the far edge', IN_BROWSER, async t => {
  const page = await visit(t, service, '/animals')
  await page.getByLabel(`Select ${NAME}`).check()
  await page.getByRole('button', { name: 'Change…' }).click()
  const preview = page.getByRole('region', { name: 'Preview' })
  await assertAtStart(preview.getByText(NAME), preview.getByRole('listitem'))
  await page.getByRole('button', { name: 'Cancel' }).click()

  await page.locator('#screen').getByRole('link', { name: 'Import' }).click()
  const file = {
    name: 'animals.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`name,category\n${NAME},1\n${'x'.repeat(40)},1\n`),
  }
  await page.getByLabel('File to import').setInputFiles(file)
  const cell = page.getByRole('cell', { name: NAME })
  await assertAtStart(cell.getByText(NAME), cell)
})

test('right-to-left names do not move the quotation marks around them', IN_BROWSER, async t => {
  const page = await visit(t, service, `/accounts/${id}`)
  await page.getByRole('button', { name: 'Suspend', exact: true }).click()
  const title = page.getByRole('dialog').getByRole('heading', { name: `Suspend “${NAME}”?` })
  await title.locator('bdi').getByText(NAME, { exact: true }).waitFor()
})

test('a list shortens a right-to-left name at its end, not at its beginning', IN_BROWSER, async t => {
  const long = `${NAME} `.repeat(10).trim()
  await service.call('POST', '/accounts', { body: { name: long, plan: 'free' } })
  const page = await visit(t, service, '/accounts', { viewport: { width: 768, height: 844 } })
  const name = page.getByText(long)
  const cell = await page.getByRole('cell', { name: long }).boundingBox()
  const right = await name.evaluate(element => {
    const range = element.ownerDocument.createRange()
    range.setStart(element.firstChild ?? element, 0)
    range.setEnd(element.firstChild ?? element, 1)
    return range.getBoundingClientRect().right
  })
  assert.ok(cell && right <= cell.x + cell.width, `${right} in ${JSON.stringify(cell)}`)
})

async function assertAtStart(text: Locator, box: Locator): Promise<void> {
  const left = (await box.boundingBox())?.x ?? Number.NaN
  const textLeft = await text.evaluate(element => {
    const range = element.ownerDocument.createRange()
    range.selectNodeContents(element)
    return range.getBoundingClientRect().x
  })
  assert.ok(textLeft - left < 20, `${textLeft} in ${left}`)
}
