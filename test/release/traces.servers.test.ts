import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { bundle, MAIN } from '../../release/bundle.ts'
import { ROOT } from '../../release/repository.ts'
import { installTools } from '../../tools/install.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { HANDBOOK } from '../support/handbook.ts'

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const REGISTER = /```js\n(import \{ HttpInstrumentation \}.*?)```/s

test('with the file of the handbook, OpenTelemetry records a list and a creation of the released program', async t => {
  installTools()
  const folder = await temporaryFolder(t)
  await bundle(join(folder, 'app'))
  const [, register = ''] = REGISTER.exec(HANDBOOK) ?? []
  // At the end of the process, a batch is no longer printed.
  const immediately = register.replaceAll('BatchSpanProcessor', 'SimpleSpanProcessor')
  assert.notEqual(immediately, register)
  writeFileSync(join(folder, 'register.mjs'), immediately)
  symlinkSync(join(ROOT, 'tools/node_modules'), join(folder, 'node_modules'))

  const { url, printed } = await serve(t, folder)
  const headers = { traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01` }
  await fetch(`${url}/v1/pets`, { headers })
  await fetch(`${url}/v1/pets`, { method: 'POST', headers, body: '{}' })
  await eventually(() => {
    const spans = printed().split("name: '@opentelemetry/instrumentation-http'").slice(1)
    const found = spans.map(span => [/traceId: '(\w+)'/, /name: '(\w+)'/].map(part => part.exec(span)?.[1]))
    assert.deepEqual(found, [
      [TRACE_ID, 'GET'],
      [TRACE_ID, 'POST'],
    ])
  })
})

test('the handbook installs the packages in the versions that are tested: the newest ones may not fit together', () => {
  const tools = JSON.parse(readFileSync(join(ROOT, 'tools/package.json'), 'utf8'))
  const tested = Object.entries(tools.dependencies).filter(([name]) => name.startsWith('@opentelemetry/'))
  const command = `npm install ${tested.map(([name, version]) => `${name}@${version}`).join(' ')}\n`
  assert.ok(HANDBOOK.includes(command), command)
})

/** Starts the bundle with the instrumentation. It ends with the test. */
async function serve(t: { after(end: () => unknown): void }, folder: string) {
  const env = {
    PATH: '',
    NODE_OPTIONS: `--import ${pathToFileURL(join(folder, 'register.mjs'))}`,
    PETSTORE_DATA: join(folder, 'data'),
    PETSTORE_PORT: '0',
    PETSTORE_OPERATOR_PORT: '0',
  }
  const child = spawn(process.execPath, [join(folder, 'app', MAIN), 'serve'], { cwd: folder, env })
  const end = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await end
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', text => {
      printed += text
    })
  }
  const url = await eventually(() => {
    const [, found] = /"url":"([^"]+)"/.exec(printed) ?? []
    assert.ok(found, printed)
    return found
  })
  return { url, printed: () => printed }
}
