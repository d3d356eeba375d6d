import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Browser } from '../../tools/playwright.ts'
import { launchBrowser, photographConsole } from './console.ts'

/** Makes the pictures of the README and of the operators' guides from the demo: `npm run images`. The keys in them are made up. */

const ROOT = join(import.meta.dirname, '../..')
/** What the pages show as their address. */
const PUBLIC_URL = 'https://petstore.example'
const SIGN_IN_URL = 'http://127.0.0.1:8081/console/sign-in#petstore_sign_in_live_Luna1Milo2Nala3Rex4Coco5'
const folder = await mkdtemp(join(tmpdir(), 'petstore-images-'))
const PROGRAM = join(ROOT, 'bin/petstore.js')
const child = spawn(process.execPath, [PROGRAM, 'serve', '--demo'], {
  cwd: folder,
  env: {
    FORCE_COLOR: '1',
    PETSTORE_COMMAND: './petstore',
    PETSTORE_LOG_FORMAT: 'text',
    PETSTORE_PORT: '0',
    PETSTORE_PRODUCTION_URL: `${PUBLIC_URL}/v1`,
    // Some screens show it.
    PETSTORE_OPERATOR_PORT: '18081',
  },
  stdio: ['ignore', 'pipe', 'pipe'],
})
try {
  await using browser = await launchBrowser(folder)
  const instructions = await readUntil(child.stdout, 'Ctrl-C stops it.\n')
  const plain = stripVTControlCharacters(instructions)
  const url = /Docs +(\S+)\/docs/.exec(plain)?.[1] ?? ''
  const key = /API key +(\S+)/.exec(plain)?.[1] ?? ''
  const headers = { authorization: `Bearer ${key}` }
  // The first calls after a start take longer than all others.
  for (let call = 0; call < 100; call++) await (await fetch(`${url}/v1/pets?limit=1`, { headers })).text()
  await fetch(`${url}/v1/pets?limit=3`, { headers })
  await fetch(`${url}/v1/pets`)
  await fetch(`${url}/v1/pets/7`, { headers })
  const log = (await readUntil(child.stderr, ' /v1/pets/7'))
    .split('\n')
    .filter(line => line.includes(' /v1/'))
    .slice(-3)
  const shown = [
    '\u001b[1m$ npm start\u001b[22m',
    ...instructions
      .replace(/Operators {2}\S+(?=\/docs)/, 'Operators  http://127.0.0.1:8081')
      .replace(/(?<=Sign in +)\S+/, SIGN_IN_URL)
      .replaceAll(PUBLIC_URL, 'http://127.0.0.1:8080')
      .replaceAll(url, 'http://127.0.0.1:8080')
      .replaceAll(key, 'petstore_live_Rex4Bella7Milo1Luna9Coco3Buddy5Nala8')
      .replaceAll(folder, '/home/anna/petstore')
      .trimEnd()
      .split('\n'),
    '',
    ...log,
  ]
  await writeFile(join(import.meta.dirname, 'terminal.svg'), drawTerminal(shown))
  await photograph(browser, `${url}/`, 'home.png')
  await photograph(browser, `${url}/docs`, 'reference.png')
  await photographConsole(browser, {
    url,
    operatorUrl: /Operators +(\S+)\/docs/.exec(plain)?.[1] ?? '',
    token: run('token', 'create', 'Anna', '--role', 'admin').token,
    staffToken: run('token', 'create', 'Sam', '--role', 'staff').token,
    partnerKey: run('key', 'create', 'City Adoption Portal', '--name', 'Kiosk').key,
  })
} finally {
  child.kill('SIGKILL')
  await rm(folder, { recursive: true })
}

/** Runs a command on the store of the demo. */
function run(...args: string[]): { token: string; key: string } {
  const env = { PETSTORE_DATA: join(folder, 'demo') }
  return JSON.parse(
    execFileSync(process.execPath, [PROGRAM, ...args, '--json'], { cwd: folder, env, encoding: 'utf8' }),
  )
}

/** Reads up to a text, or to the end. */
async function readUntil(stream: NodeJS.ReadableStream, end: string): Promise<string> {
  let text = ''
  stream.setEncoding('utf8').on('data', part => {
    text += part
  })
  while (!text.includes(end) && child.exitCode === null && child.signalCode === null) {
    await Promise.race([once(stream, 'data'), once(child, 'close')])
  }
  return text
}

async function photograph(browser: Browser, url: string, file: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1200, height: 750 } })
  await page.goto(url, { waitUntil: 'networkidle' })
  await page.screenshot({ path: join(import.meta.dirname, file) })
  await page.close()
}

/** A terminal as it would show the lines, with their colours. */
function drawTerminal(lines: readonly string[]): string {
  const [width, height] = [9, 21]
  const columns = Math.max(80, ...lines.map(line => stripVTControlCharacters(line).length))
  const size = [columns * width + 40, lines.length * height + 60] as const
  const rows = lines.map((line, index) => {
    const y = 50 + index * height
    return `<text x="20" y="${y}">${drawLine(line)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.join(' ')}" width="${size[0]}" height="${size[1]}" role="img">
<title>npm start in a terminal: the addresses, an API key, commands to try, and the log of the first calls</title>
<style>
text { font: 15px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #e6e6e6; white-space: pre; }
.c1 { font-weight: bold; fill: #ffffff } .c2 { fill: #a0a4ab } .c31 { fill: #ff7b72 } .c32 { fill: #7ee787 } .c33 { fill: #e3b341 } .c36 { fill: #79c0ff }
</style>
<rect width="100%" height="100%" rx="10" fill="#16181d"/>
<circle cx="24" cy="20" r="6" fill="#ff5f57"/><circle cx="44" cy="20" r="6" fill="#febc2e"/><circle cx="64" cy="20" r="6" fill="#28c840"/>
${rows.join('\n')}
</svg>
`
}

function drawLine(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what a colour begins with
  const parts = line.split(/\u001b\[(\d+)m/)
  let style = ''
  return parts
    .map((part, index) => {
      if (index % 2 === 1) style = ['22', '39'].includes(part) ? '' : part
      if (index % 2 === 1 || part === '') return ''
      const text = part.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
      return style === '' ? text : `<tspan class="c${style}">${text}</tspan>`
    })
    .join('')
}
