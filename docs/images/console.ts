import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPetstore } from '../../bench/program.ts'
import { CHROMIUM, CHROMIUM_ARGS } from '../../test/support/servers/browser.ts'
import { type Browser, chromium, type Page } from '../../tools/playwright.ts'
import { createDemoStore } from './demo-store.ts'

/**
 * The pictures of the console, for the README and for the guides, on light and on dark pages. They have the font of the system, as the console
 * does; a server often has none that people see. Inter is used if it is installed (`apt-get install fonts-inter`), or is in the folder IMAGE_FONTS.
 */

const README = import.meta.dirname
const GUIDES = join(README, '../guides/operators')
/** The pictures of the guides are smaller: they are beside a text, and part of every release. */
const SIZES = {
  [README]: { viewport: { width: 1200, height: 750 }, deviceScaleFactor: 2 },
  [GUIDES]: { viewport: { width: 1000, height: 625 }, deviceScaleFactor: 1.6 },
}
const PORT = '18081'
const CONSOLE = `http://127.0.0.1:${PORT}/console`
const ADMIN = `http://127.0.0.1:${PORT}/admin/v1`
/** An animal that has a history. */
const GRETA = 1_245

interface Picture {
  folder: string
  name: string
  path: string
  /** Brings the screen into the state of the picture. */
  prepare(page: Page): Promise<void>
}

export async function photographConsole(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-images-'))
  try {
    const { token, staffToken, keys } = await createDemoStore(folder, Date.now())
    const settings = { PETSTORE_OPERATOR_PORT: PORT, PETSTORE_PRODUCTION_URL: 'https://petstore.example/v1' }
    await using program = await startPetstore({ folder }, settings)
    const browser = await launchBrowser(folder)
    try {
      for (const theme of ['light', 'dark'] as const) {
        for (const { key } of keys) await callOften(program.url, key)
        for (const picture of pictures(staffToken)) await take(browser, picture, theme, token)
      }
    } finally {
      await browser.close()
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

function pictures(staffToken: string): readonly Picture[] {
  return [
    { folder: README, name: 'overview', path: '/', prepare: page => page.getByText('1 key is banned').waitFor() },
    { folder: README, name: 'animals', path: '/animals', prepare: selectSome },
    {
      folder: README,
      name: 'usage',
      path: '/usage?range=7d&by=account',
      prepare: page => page.locator('.top-name').first().waitFor(),
    },
    { folder: GUIDES, name: 'animals', path: `/animals?open=${GRETA}`, prepare: showHistory },
    {
      folder: GUIDES,
      name: 'conflict',
      path: `/animals?open=${GRETA}`,
      prepare: page => provokeConflict(page, staffToken),
    },
    { folder: GUIDES, name: 'bad-lines', path: '/import', prepare: checkFile },
    { folder: GUIDES, name: 'account', path: '/accounts/2', prepare: page => page.getByText('Till').first().waitFor() },
  ]
}

async function take(browser: Browser, picture: Picture, theme: 'light' | 'dark', token: string): Promise<void> {
  const { folder, name, path, prepare } = picture
  const context = await browser.newContext({
    ...SIZES[folder],
    colorScheme: theme,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await page.goto(CONSOLE + path)
  await page.getByLabel('Operator token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('#screen').waitFor()
  await prepare(page)
  await page.waitForLoadState('load')
  await page.evaluate('document.fonts.ready')
  // Nothing is selected, and the pointer is nowhere.
  await page.evaluate('document.activeElement?.blur()')
  await page.mouse.move(0, 0)
  await page.waitForTimeout(1_000)
  const suffix = theme === 'dark' ? '-dark' : ''
  await writeFile(join(folder, `${name}${suffix}.webp`), await toWebp(page, await page.screenshot()))
  await context.close()
}

function showHistory(page: Page): Promise<void> {
  return page.getByText('Greta von Stein').nth(1).waitFor()
}

/** Three dogs, to change them together. */
async function selectSome(page: Page): Promise<void> {
  const boxes = page.getByRole('checkbox', { name: /^Select (?!all)/ })
  for (const row of [1, 2, 4]) await boxes.nth(row).click()
  await page.getByText('3 selected').waitFor()
}

/** Someone else corrects the animal while it is open. */
async function provokeConflict(page: Page, staffToken: string): Promise<void> {
  await page
    .getByRole('region', { name: /^Greta/ })
    .getByLabel('Name')
    .fill('Greta vom Waldhof')
  const authorization = `Bearer ${staffToken}`
  const { etag } = (await (await fetch(`${ADMIN}/pets/${GRETA}`, { headers: { authorization } })).json()) as {
    etag: string
  }
  const headers = { authorization, 'content-type': 'application/json', 'if-match': etag }
  const correct = (change: object, ifMatch = etag) =>
    fetch(`${ADMIN}/pets/${GRETA}`, {
      method: 'PATCH',
      headers: { ...headers, 'if-match': ifMatch },
      body: JSON.stringify(change),
    })
  const corrected = await correct({ name: 'Greta Stein', status: 'pending' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Keep mine' }).waitFor()
  // As it was, for the next picture.
  const { etag: changed } = (await corrected.json()) as { etag: string }
  await page.getByText('This animal has changed since you began.').waitFor()
  // From here on the page learns nothing; if its calls failed, it would say so.
  await page.route('**/admin/v1/**', () => {})
  await correct({ name: 'Greta von Stein', status: 'available' }, changed)
}

/** A file of a spreadsheet, of which three lines are bad. */
async function checkFile(page: Page): Promise<void> {
  const lines = Array.from({ length: 240 }, (_, index) => `Animal ${index + 1};${(index % 8) + 1};available`)
  lines[16] = 'Kiwi;bird;available'
  lines[88] = ';2;available'
  lines[201] = 'Bruno;1;adopted'
  const file = `name;category;status\n${lines.join('\n')}\n`
  await page
    .getByLabel('File to import')
    .setInputFiles({ name: 'Shelter animals.csv', mimeType: 'text/csv', buffer: Buffer.from(file) })
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByRole('button', { name: /Line 18/ }).click()
}

/** So that there is something to see in the gauges of an account. */
async function callOften(url: string, key: string): Promise<void> {
  for (let call = 0; call < 40; call++) {
    await (await fetch(`${url}/v1/pets?limit=1&after=${call}`, { headers: { authorization: `Bearer ${key}` } })).text()
  }
}

/** Chromium compresses better than PNG does: these pictures are read with every README. */
async function toWebp(page: Page, png: Buffer): Promise<Buffer> {
  const blank = await page.context().newPage()
  await blank.goto('about:blank')
  const address = await blank.evaluate<string>(`(async () => {
    const bytes = Uint8Array.from(atob('${png.toString('base64')}'), one => one.charCodeAt(0))
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
    canvas.getContext('2d').drawImage(image, 0, 0)
    return canvas.toDataURL('image/webp', 0.9)
  })()`)
  return Buffer.from(address.slice(address.indexOf(',') + 1), 'base64')
}

/** @param folder for files that the browser needs */
export async function launchBrowser(folder: string): Promise<Browser> {
  const env = { ...process.env, FONTCONFIG_FILE: await writeFontConfiguration(folder) } as Record<string, string>
  return chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS, env })
}

/** Prefers Inter where pages ask for the font of the system. */
async function writeFontConfiguration(folder: string): Promise<string> {
  const file = join(folder, 'fonts.conf')
  const own = process.env.IMAGE_FONTS
  const families = ['system-ui', 'sans-serif'].map(
    family => `<match target="pattern"><test name="family"><string>${family}</string></test>
<edit name="family" mode="prepend" binding="strong"><string>Inter</string></edit></match>`,
  )
  await writeFile(
    file,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include>
${own ? `<dir>${own}</dir>` : ''}
<cachedir>${folder}/font-cache</cachedir>
${families.join('\n')}
</fontconfig>
`,
  )
  return file
}
