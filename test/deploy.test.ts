import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import dashboard from '../deploy/grafana/petstore-dashboard.json' with { type: 'json' }
import { SETTINGS } from '../src/app/settings.ts'
import { Refusal } from '../src/http/refusal.ts'
import { Metrics } from '../src/metrics/metrics.ts'
import { HEALTH_IDS, OPERATIONS } from '../src/operator/routes.ts'
import type { PublicCall } from '../src/public/call.ts'
import { parseScrape, type Series } from './support/scrape.ts'

const DEPLOY = fileURLToPath(new URL('../deploy/', import.meta.url))
const ALERTS = readFileSync(`${DEPLOY}prometheus/alerts.yaml`, 'utf8')
const PROMETHEUS = readFileSync(`${DEPLOY}prometheus/prometheus.yaml`, 'utf8')

/** The series of Prometheus itself and the blackbox exporter. */
const FOREIGN = ['up', 'probe_success']
/** The labels that Prometheus adds to every series. */
const ADDED_LABELS = ['instance', 'job']
/** The words of PromQL that can appear in the place of a metric. */
const WORDS = ['and', 'or', 'unless', 'by', 'without', 'on', 'ignoring', 'bool', 'offset']

const scrape = await scrapeOfAll()
const alerts = alertsOf(ALERTS)
const panels = dashboard.panels.filter(({ type }) => type !== 'row')
const panelExpressions = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ of: title, expr })))

test('every alert uses series that the service exports', () => {
  assert.ok(alerts.length >= 10)
  for (const { name, expr } of alerts) assertExported(name, expr)
})

test('every panel uses series that the service exports', () => {
  assert.ok(panelExpressions.length >= panels.length)
  for (const { of, expr } of panelExpressions) assertExported(of, expr)
})

test('the series of alerts are exported from the start', async () => {
  const metrics = new Metrics()
  after(() => metrics.close())
  metrics.buildPublicAnswered([])
  const names = new Set(parseScrape(await metrics.text()).map(({ name }) => name))
  const missing = alerts
    .flatMap(({ expr }) => selectorsOf(expr))
    .filter(({ name }) => !names.has(name) && !FOREIGN.includes(name))
  assert.deepEqual(missing, [])
})

test('every alert has a duration, a severity, a summary, and a description that says what to do', () => {
  for (const { name, duration, severity, summary, description } of alerts) {
    assert.match(name, /^Petstore[A-Z][A-Za-z]+$/)
    assert.match(duration, /^\d+m$/, name)
    assert.match(severity, /^(critical|warning)$/, name)
    assert.match(summary, /^[A-Z][^{}]{10,80}[^.]$/, name)
    assert.match(description, /\b(look|search|read|see|compare|raise|list)\b/i, name)
    assert.match(description, /\.$/, name)
  }
  assert.equal(new Set(alerts.map(({ name }) => name)).size, alerts.length)
})

test('the alert rules have the format that Prometheus reads', () => {
  const lines = ALERTS.split('\n')
  const strange = lines.filter(line => !LINES.some(shape => shape.test(line)))
  assert.deepEqual(strange, [])
  assert.equal(lines.filter(line => line.includes('- alert:')).length, alerts.length)
})

test('a value that YAML would misread is quoted', () => {
  const plain = [ALERTS, PROMETHEUS]
    .flatMap(text => text.split('\n'))
    .flatMap(line => {
      const value = /^ *(?:- )?\w+: (?![|>'"[])(.+)$/.exec(line)?.[1]
      return value === undefined ? [] : [value]
    })
  assert.ok(plain.length > 40)
  assert.deepEqual(
    plain.filter(value => /: | #|^[{}&*!%@`,?-]/.test(value)),
    [],
  )
})

test('the scrape example has the jobs that alerts name, and names the alerts', () => {
  const jobs = new Set([...ALERTS.matchAll(/job="([^"]+)"/g)].map(match => match[1]))
  assert.deepEqual([...jobs].toSorted(), ['petstore', 'petstore-ready'])
  for (const job of jobs) assert.match(PROMETHEUS, new RegExp(`job_name: ${job}$`, 'm'))
  assert.match(PROMETHEUS, /^rule_files:\n {2}- alerts\.yaml$/m)
  for (const path of ['metrics', 'readyz']) {
    assert.ok(PROMETHEUS.includes(`/${path}`))
    assert.ok(HEALTH_IDS.some(id => id === path))
  }
})

test('every petstore metric is shown on the dashboard', () => {
  const shown = new Set(panelExpressions.flatMap(({ expr }) => selectorsOf(expr)).map(({ name }) => familyOf(name)))
  const exported = new Set(scrape.map(({ name }) => familyOf(name)).filter(name => name.startsWith('petstore_')))
  assert.deepEqual([...exported.difference(shown)], [])
})

test('the alert and the service agree on when a backup is too old', () => {
  const { expr = '' } = alerts.find(({ name }) => name === 'PetstoreBackupOld') ?? {}
  assert.match(expr, /time\(\) - petstore_backup_timestamp_seconds > 2 \* petstore_backup_interval_seconds\s/)
})

test('counts on a panel of durations have their own unit', () => {
  const counted = panels
    .filter(({ fieldConfig }) => fieldConfig?.defaults.unit === 's')
    .flatMap(({ fieldConfig, targets = [] }) =>
      targets
        .filter(({ expr }) => /\bincrease\(/.test(expr) && !expr.includes('_seconds'))
        .map(({ legendFormat }) => ({ legend: legendFormat ?? '', overrides: fieldConfig?.overrides ?? [] })),
    )
  assert.ok(counted.length > 0)
  for (const { legend, overrides } of counted) {
    const override = overrides.find(({ matcher }) => new RegExp(matcher.options.slice(1, -1)).test(legend))
    assert.deepEqual(override?.properties, [{ id: 'unit', value: 'short' }], legend)
  }
})

test('every panel has its own id, a title, a unit and a description', () => {
  const ids = dashboard.panels.map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
  const titles = panels.map(({ title }) => title)
  assert.equal(new Set(titles).size, titles.length)
  for (const { title, description = '', fieldConfig, targets = [] } of panels) {
    assert.match(description, /^.{20,}[.]$/, title)
    assert.ok(fieldConfig?.defaults.unit, title)
    const refIds = targets.map(({ refId }) => refId)
    assert.equal(new Set(refIds).size, refIds.length, title)
  }
})

test('the dashboard has its rows, and no panel covers another', () => {
  const rows = dashboard.panels.filter(({ type }) => type === 'row').map(({ title }) => title)
  assert.deepEqual(rows, ['Traffic', 'Limits', 'Latency', 'Store', 'Process'])
  const taken = new Map<string, string>()
  for (const { title, gridPos } of dashboard.panels) {
    assert.ok(gridPos.x >= 0 && gridPos.x + gridPos.w <= 24, title)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.equal(taken.get(`${x},${y}`), undefined, title)
        taken.set(`${x},${y}`, title)
      }
    }
  }
})

test('the dashboard names no data source, and only its own variables', () => {
  const own = dashboard.templating.list.map(({ name }) => name)
  assert.deepEqual(own, ['datasource', 'job', 'instance'])
  for (const { title, datasource, targets = [] } of panels) {
    for (const source of [datasource, ...targets.map(target => target.datasource)]) {
      assert.deepEqual(source, { type: 'prometheus', uid: `\${datasource}` }, title)
    }
  }
  const used = panelExpressions.flatMap(({ expr }) => [...expr.matchAll(/\$\{?(\w+)/g)].map(match => match[1]))
  assert.deepEqual([...new Set(used)].toSorted(), ['__rate_interval', 'instance', 'job'])
})

test('the files name only existing settings', () => {
  const settings = new Set(Object.values(SETTINGS).map(({ name }) => name))
  const texts = ALERTS + PROMETHEUS + readFileSync(`${DEPLOY}README.md`, 'utf8')
  const named = new Set([...texts.matchAll(/\bPETSTORE_[A-Z_]+/g)].map(([name]) => name))
  assert.deepEqual([...named.difference(settings)], [])
})

test('a metric, a label or a value that is not exported is detected in any expression', () => {
  for (const expr of [
    'rate(petstore_nothing_total[5m]) > 0',
    'sum by (plan) (rate(petstore_calls_total{outcome="thrown"}[5m]))',
    'sum by (account) (rate(petstore_calls_total[5m]))',
    'up == 0 or petstore_calls_totals > 1',
    'histogram_quantile(0.99, rate(petstore_http_request_duration_seconds[5m]))',
    'sum(rate(petstore_http_requests_total{status=~"6.."}[5m]))',
  ]) {
    assert.throws(() => assertExported('', expr), expr)
  }
})

/** The series that a service exports once everything countable has happened. */
async function scrapeOfAll(): Promise<Series[]> {
  const metrics = new Metrics()
  try {
    const publicAnswered = metrics.buildPublicAnswered(['listPets'])
    const operatorAnswered = metrics.buildOperatorAnswered(OPERATIONS.map(({ id }) => id))
    const call = { operation: 'listPets', startedAt: performance.now() } as PublicCall
    publicAnswered(call, 200)
    operatorAnswered({ operation: 'livez' } as PublicCall, 200)
    metrics.connectionRefused(new Refusal('malformed_request', 'No call.'))
    metrics.committed(1, 1)
    metrics.showBuild({ version: '1.2.3', commit: null })
    metrics.storeFailed()
    metrics.limiterErrors.inc()
    return parseScrape(await metrics.text())
  } finally {
    metrics.close()
  }
}

interface Selector {
  name: string
  matchers: { label: string; operator: string; value: string }[]
}

/** The series that an expression selects. */
function selectorsOf(expr: string): Selector[] {
  const bare = expr
    .replaceAll(/\[(?:\d+[smhd]|\$__rate_interval)\]/g, '')
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, '')
  const found = bare.matchAll(/(?<![\w$])([a-zA-Z_:][\w:]*)(?![\w:]|\s*\()(?:\{([^}]*)\})?/g)
  return [...found]
    .filter(([, name = '']) => !WORDS.includes(name))
    .map(([, name = '', inner = '']) => ({
      name,
      matchers: [...inner.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(([, label = '', operator = '', value = '']) => ({
        label,
        operator,
        value,
      })),
    }))
}

function assertExported(of: string, expr: string): void {
  const selectors = selectorsOf(expr).filter(({ name }) => !FOREIGN.includes(name))
  for (const selector of selectors) {
    assert.ok(
      scrape.some(series => isMatched(series, selector)),
      `${of}: nothing is exported that matches ${JSON.stringify(selector)}`,
    )
  }
  const labels = new Set(
    scrape
      .filter(({ name }) => selectors.some(selector => selector.name === name))
      .flatMap(series => Object.keys(series.labels)),
  )
  for (const [, list = ''] of expr.matchAll(/\bby\s*\(([^)]*)\)/g)) {
    for (const label of list.split(',').map(one => one.trim())) {
      assert.ok(labels.has(label) || ADDED_LABELS.includes(label), `${of}: no series has the label ${label}`)
    }
  }
}

function isMatched(series: Series, { name, matchers }: Selector): boolean {
  if (series.name !== name) return false
  return matchers
    .filter(({ label }) => !ADDED_LABELS.includes(label))
    .every(({ label, operator, value }) => {
      const has = operator.endsWith('~')
        ? new RegExp(`^(?:${value})$`).test(series.labels[label] ?? '')
        : series.labels[label] === value
      return operator.startsWith('!') ? !has : has
    })
}

/** A histogram's name without the parts that its series have. */
function familyOf(name: string): string {
  return name.replace(/_(bucket|sum|count)$/, '')
}

/** Every kind of line that the alert rules consist of. */
const LINES = [
  /^$/,
  /^# \S/,
  /^groups:$/,
  /^ {2}- name: [a-z-]+$/,
  /^ {4}rules:$/,
  /^ {6}- alert: \w+$/,
  /^ {8}expr: (?:\||[^|>].*)$/,
  /^ {8}for: \d+m$/,
  /^ {8}labels:$/,
  /^ {10}severity: \w+$/,
  /^ {8}annotations:$/,
  /^ {10}summary: \S.*$/,
  /^ {10}description: >-$/,
  // The lines of an expression or a description.
  /^ {10,}(?!\w+: )\S.*$/,
]

/** Reads the alert rules, as far as they keep to these kinds of lines. */
function alertsOf(yaml: string) {
  return yaml
    .split(/^ {6}- alert: /m)
    .slice(1)
    .map(text => {
      const one = (pattern: RegExp) => pattern.exec(text)?.[1]?.trim() ?? ''
      return {
        name: one(/^(\w+)/),
        expr: one(/^ {8}expr: \|\n((?: {10}.*\n)+)/m) || one(/^ {8}expr: (.+)$/m),
        duration: one(/^ {8}for: (.*)$/m),
        severity: one(/^ {10}severity: (.*)$/m),
        summary: one(/^ {10}summary: (.*)$/m),
        description: one(/^ {10}description: >-\n((?: {12}.*\n)+)/m).replaceAll(/\s+/g, ' '),
      }
    })
}
