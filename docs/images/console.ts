import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CHROMIUM, CHROMIUM_ARGS } from '../../test/support/servers/browser.ts'
import { type Browser, chromium, type Page } from '../../tools/playwright.ts'

/**
 * The pictures of the console, for the README and for the guides, on light and on dark pages. They have the font of the system, as the console
 * does; a server often has none that people see. Inter is used if it is installed, or is in the folder IMAGE_FONTS; one name has an emoji:
 * `apt-get install fonts-inter fonts-noto-color-emoji`.
 */

const README = import.meta.dirname
const GUIDES = join(README, '../guides/operators')
/** The pictures of the guides are smaller: they are beside a text, and part of every release. */
const SIZES = {
  [README]: { viewport: { width: 1200, height: 750 }, deviceScaleFactor: 2 },
  [GUIDES]: { viewport: { width: 1000, height: 625 }, deviceScaleFactor: 1.6 },
}
/** An animal that gets a history. */
const FRANKLIN = 47

/** The running demo, with tokens of an admin and of Sam, who is staff. */
export interface Demo {
  url: string
  operatorUrl: string
  token: string
  staffToken: string
  /** Of City Adoption Portal. */
  partnerKey: string
}

interface Picture {
  folder: string
  name: string
  path: string
  /** Brings the screen into the state of the picture. */
  prepare(page: Page): Promise<void>
}

export async function photographConsole(browser: Browser, demo: Demo): Promise<void> {
  await work(demo)
  for (const theme of ['light', 'dark'] as const) {
    await callOften(demo)
    for (const picture of pictures(demo)) await take(browser, picture, theme, demo)
  }
}

function pictures(demo: Demo): readonly Picture[] {
  return [
    { folder: README, name: 'overview', path: '/', prepare: page => page.getByText('Widget').first().waitFor() },
    { folder: README, name: 'animals', path: '/animals', prepare: selectSome },
    {
      folder: README,
      name: 'usage',
      path: '/usage?range=7d&by=account',
      prepare: page => page.locator('.top-name').first().waitFor(),
    },
    { folder: GUIDES, name: 'animals', path: `/animals?open=${FRANKLIN}`, prepare: showHistory },
    {
      folder: GUIDES,
      name: 'conflict',
      path: `/animals?open=${FRANKLIN}`,
      prepare: page => provokeConflict(page, demo),
    },
    {
      folder: GUIDES,
      name: 'deleted',
      path: '/animals?status=deleted',
      prepare: page =>
        page
          .getByRole('button', { name: /^Restore/ })
          .first()
          .waitFor(),
    },
    { folder: GUIDES, name: 'bad-lines', path: '/import', prepare: checkFile },
    {
      folder: GUIDES,
      name: 'sources',
      path: '/sources?open=reptile-rescue',
      prepare: page => page.getByRole('dialog').getByText('reptile-rescue.csv').first().waitFor(),
    },
    {
      folder: GUIDES,
      name: 'account',
      path: '/accounts/2',
      prepare: page => page.getByText('Mobile app').first().waitFor(),
    },
  ]
}

/** What Sam did last. */
async function work(demo: Demo): Promise<void> {
  for (const change of [{ status: 'pending' }, { name: 'Franklin the Wise' }, { status: 'available' }])
    await correct(demo, await etagOf(demo), change)
  for (const id of [15, 23]) {
    const { headers } = await admin(demo, 'GET', `/pets/${id}`)
    await admin(demo, 'DELETE', `/pets/${id}`, { 'if-match': headers.get('etag') ?? '' })
  }
}

async function admin(
  { operatorUrl, staffToken }: Demo,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: object,
): Promise<Response> {
  const response = await fetch(`${operatorUrl}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${staffToken}`, 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
  return response
}

async function etagOf(demo: Demo): Promise<string> {
  const { etag } = (await (await admin(demo, 'GET', `/pets/${FRANKLIN}`)).json()) as { etag: string }
  return etag
}

function correct(demo: Demo, etag: string, change: object): Promise<Response> {
  return admin(demo, 'PATCH', `/pets/${FRANKLIN}`, { 'if-match': etag }, change)
}

async function take(
  browser: Browser,
  picture: Picture,
  theme: 'light' | 'dark',
  { operatorUrl, token }: Demo,
): Promise<void> {
  const { folder, name, path, prepare } = picture
  const context = await browser.newContext({
    ...SIZES[folder],
    colorScheme: theme,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await page.goto(`${operatorUrl}/console${path}`)
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
  return page.getByText('Franklin the Wise').nth(1).waitFor()
}

/** Three dogs, to change them together. */
async function selectSome(page: Page): Promise<void> {
  const boxes = page.getByRole('checkbox', { name: /^Select (?!all)/ })
  for (const row of [1, 2, 4]) await boxes.nth(row).click()
  await page.getByText('3 selected').waitFor()
}

/** Someone else corrects the animal while it is open. */
async function provokeConflict(page: Page, demo: Demo): Promise<void> {
  await page
    .getByRole('region', { name: /^Franklin/ })
    .getByLabel('Name')
    .fill('Franklin the Slow')
  await correct(demo, await etagOf(demo), { name: 'Franklin', status: 'pending' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Keep mine' }).waitFor()
  await page.getByText('This animal has changed since you began.').waitFor()
  // From here on the page learns nothing; if its calls failed, it would say so.
  await page.route('**/admin/v1/**', () => {})
  // As it was, for the next picture.
  await correct(demo, await etagOf(demo), { name: 'Franklin the Wise', status: 'available' })
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
  await page.locator('summary').filter({ hasText: 'Line 18' }).click()
  await page.locator('.bad-lines').evaluate(list => list.scrollIntoView({ block: 'end' }))
}

/** So that there is something to see in the gauges of an account. */
async function callOften({ url, partnerKey }: Demo): Promise<void> {
  const headers = { authorization: `Bearer ${partnerKey}` }
  for (let call = 0; call < 40; call++) await (await fetch(`${url}/v1/pets?limit=1`, { headers })).text()
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
