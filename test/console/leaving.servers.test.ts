import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from '../../tools/playwright.ts'
import { eventually } from '../support/eventually.ts'
import { startOperatorService } from '../support/operator.ts'
import { BY_HAND, IN_BROWSER } from '../support/servers/browser.ts'
import { assertAccessible, buildConsoleVisit, untilLoaded } from '../support/servers/console.ts'

// An operator's input is not lost by accident.

const service = await startOperatorService({ after })
const visit = buildConsoleVisit({ after })

test('a form with changes asks before it closes', IN_BROWSER, async t => {
  const page = await visit(t, service, '/accounts')
  await page.keyboard.press('n', BY_HAND)
  const form = page.getByRole('dialog', { name: 'Create an account' })
  await form.waitFor()
  await page.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })

  await page.keyboard.press('n', BY_HAND)
  const name = form.getByLabel('Name', { exact: true })
  await name.fill('Half a name')
  await page.keyboard.press('Escape')
  const question = page.getByRole('dialog', { name: 'Discard your changes?' })
  await question.waitFor()
  await assertAccessible(page, 'discard')
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  assert.equal(await name.inputValue(), 'Half a name')
  await page.mouse.click(5, 400)
  await question.getByRole('button', { name: 'Discard' }).click()
  await form.waitFor({ state: 'detached' })

  await page.keyboard.press('n', BY_HAND)
  await name.fill('Another')
  await name.fill('')
  await page.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })
})

test(
  'names of categories that are not saved ask before they close, and others see no old ones',
  IN_BROWSER,
  async t => {
    await service.call('POST', '/pets', { body: { name: 'Rex', categoryId: 1 } })
    await service.call('POST', '/pets', { body: { name: 'Tom', categoryId: 2 } })
    const page = await visit(t, service, '/animals')
    await page.getByRole('button', { name: 'Categories' }).click()
    const dialog = page.getByRole('dialog', { name: 'Categories' })
    await dialog.getByLabel('Category 1', { exact: true }).fill('Dogs')
    await page.mouse.click(5, 400)
    const question = page.getByRole('dialog', { name: 'Discard your changes?' })
    await question.getByRole('button', { name: 'Keep editing' }).click()
    assert.equal(await dialog.getByLabel('Category 1', { exact: true }).inputValue(), 'Dogs')

    await service.call('PUT', '/categories/2', { body: { label: 'Cats' } })
    await eventually(async () =>
      assert.equal(await dialog.getByLabel('Category 2', { exact: true }).inputValue(), 'Cats'),
    )
    assert.ok(await dialog.getByRole('button', { name: 'Save the name of category 2' }).isDisabled())
    await page.keyboard.press('Escape')
    await question.getByRole('button', { name: 'Keep editing' }).click()

    await dialog.getByRole('button', { name: 'Save the name of category 1' }).click()
    // While it is being saved, the button is only busy.
    await dialog.getByRole('button', { name: 'Save the name of category 1' }).and(page.locator(':disabled')).waitFor()
    await service.call('PUT', '/categories/1', { body: { label: 'Hounds' } })
    await eventually(async () =>
      assert.equal(await dialog.getByLabel('Category 1', { exact: true }).inputValue(), 'Hounds'),
    )
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  },
)

test('signing out asks while there are unsaved changes', IN_BROWSER, async t => {
  const { id } = (await service.call('POST', '/pets', { body: { name: 'Bella', categoryId: 1 } })).value
  const page = await visit(t, service, `/animals?open=${id}`)
  await page.getByRole('region', { name: 'Bella' }).getByLabel('Name').fill('Belle')
  const signOut = async () => {
    await page.locator('#account-button').click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
  }
  await signOut()
  const question = page.getByRole('dialog', { name: 'Sign out?' })
  await question.getByRole('button', { name: 'Stay' }).click()
  await question.waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('region', { name: 'Bella' }).getByLabel('Name').inputValue(), 'Belle')
  await signOut()
  await question.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Petstore' }).waitFor()
})

test('the back button and closing the tab ask while a form has changes', IN_BROWSER, async t => {
  const page = await visit(t, service, '/health')
  await page.keyboard.type('gc', BY_HAND)
  await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()
  await untilLoaded(page)
  assert.equal(await asksOnClosing(page), false)
  await page.keyboard.press('n', BY_HAND)
  await page.getByLabel('Name', { exact: true }).fill('Half a name')
  assert.equal(await asksOnClosing(page), true)
  await page.evaluate('history.back()')
  const question = page.getByRole('dialog', { name: 'Leave this screen?' })
  await question.getByRole('button', { name: 'Stay' }).click()
  await question.waitFor({ state: 'detached' })
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Half a name')
  await page.evaluate('history.back()')
  await question.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor()
  assert.equal(await asksOnClosing(page), false)
})

test('Ctrl+Enter saves, and nothing asks after that', IN_BROWSER, async t => {
  const page = await visit(t, service, '/accounts')
  await page.keyboard.press('n', BY_HAND)
  await page.getByLabel('Name', { exact: true }).fill('Saved by keys')
  await page.getByRole('button', { name: 'Create the account' }).getByText('Ctrl').waitFor()
  await page.keyboard.press('Control+Enter')
  await page.getByRole('heading', { name: 'Saved by keys', level: 1 }).waitFor()
  assert.equal(await page.getByRole('dialog', { name: 'Leave this screen?' }).count(), 0)
})

test('Ctrl+Enter, which saves, leaves no screen with changes', IN_BROWSER, async t => {
  const page = await visit(t, service, '/health')
  await page.keyboard.type('gc', BY_HAND)
  await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()
  await untilLoaded(page)
  await page.keyboard.press('n', BY_HAND)
  await page.getByLabel('Name', { exact: true }).fill('Half a name')
  await page.evaluate('history.back()')
  const question = page.getByRole('dialog', { name: 'Leave this screen?' })
  await question.getByRole('button', { name: 'Leave' }).waitFor()
  await page.keyboard.press('Control+Enter')
  await question.getByRole('button', { name: 'Stay' }).click()
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Half a name')
})

test('a secret that is not stored yet guards the tab', IN_BROWSER, async t => {
  const page = await visit(t, service, '/tokens')
  await page.keyboard.press('n', BY_HAND)
  await page.getByLabel('Name').fill('Berta')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('button', { name: 'I have stored it' }).waitFor()
  assert.equal(await asksOnClosing(page), true)
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal(await asksOnClosing(page), false)
})

test('a file that is not imported yet guards the tab, also from other screens', IN_BROWSER, async t => {
  const page = await visit(t, service, '/import')
  await page.getByRole('heading', { name: 'Import animals' }).waitFor()
  assert.equal(await asksOnClosing(page), false)
  const file = { name: 'animals.csv', mimeType: 'text/csv', buffer: Buffer.from('name,category\nRex,1\n') }
  await page.getByLabel('File to import').setInputFiles(file)
  await page.getByRole('heading', { name: 'Columns' }).waitFor()
  assert.equal(await asksOnClosing(page), true)
  await page.getByRole('link', { name: 'Health' }).click()
  await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor()
  assert.equal(await asksOnClosing(page), true)
  await page.getByRole('link', { name: 'Import', exact: true }).click()
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByRole('button', { name: 'Import 1 animal' }).click()
  await page.getByRole('heading', { name: 'The import is finished' }).waitFor()
  assert.equal(await asksOnClosing(page), false)
})

/** Whether the page would ask before its tab is closed. */
async function asksOnClosing(page: Page): Promise<boolean> {
  const event = `new Event('beforeunload', { cancelable: true })`
  return Boolean(await page.evaluate(`!window.dispatchEvent(${event})`))
}
