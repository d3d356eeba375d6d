import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { buildConsoleVisit } from '../support/servers/console.ts'
import { SCREENS } from './screen-calls.ts'

// Opens each screen and compares its calls with the list in screen-calls.ts.

const service = await startOperatorService({ after }, { now: Date.now() })
const visit = buildConsoleVisit({ after })

/** The stream of events stays open, and is not measured. */
const OF_EVERY_SCREEN = [...callsOf('Frame'), '/events']

test('each screen makes the calls of its list when it is opened, and no others', IN_BROWSER, async t => {
  const { value: account } = await service.call('POST', '/accounts', { body: { name: 'Corner Shop', plan: 'pro' } })
  const page = await visit(t, service)
  const paths = { Overview: '/', Account: `/accounts/${account.id}` } as Readonly<Record<string, string>>
  for (const screen of Object.keys(SCREENS).filter(name => name !== 'Frame')) {
    const expected = [...new Set([...OF_EVERY_SCREEN, ...callsOf(screen)])].toSorted()
    await page.goto('about:blank')
    const made = new Set<string>()
    page.on('request', note)
    await page.goto(`${service.operatorUrl}/console${paths[screen] ?? `/${screen.toLowerCase()}`}`)
    await eventually(() => assert.deepEqual([...made].toSorted(), expected, screen))
    // An extra call would be made with the others, or right after them.
    await page.evaluate('new Promise(resolve => requestIdleCallback(resolve))')
    page.off('request', note)
    assert.deepEqual([...made].toSorted(), expected, screen)

    function note(request: { url(): string }): void {
      const { pathname, search } = new URL(request.url())
      if (!pathname.startsWith('/admin/v1/')) return
      made.add(shapeOf(pathname.slice('/admin/v1'.length) + search))
    }
  }
})

function callsOf(screen: string): string[] {
  return SCREENS[screen]?.map(({ path }) => shapeOf(path)) ?? []
}

/** Removes values, because the particular animal or day does not matter. The grouping of a list does. */
function shapeOf(path: string): string {
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  const query = [...searchParams].map(([name, value]) => (name === 'by' ? `by=${value}` : name)).toSorted()
  return pathname.replaceAll(/\/\d+/g, '/N') + (query.length > 0 ? `?${query.join('&')}` : '')
}
