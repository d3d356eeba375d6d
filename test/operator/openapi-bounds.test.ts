import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { buildOpenApi } from '../../site/operator-openapi.ts'
import { OPERATIONS } from '../../src/operator/routes.ts'
import { startOperatorService } from '../support/operator.ts'
import { type Example, exampleOf } from '../support/operator-examples.ts'

// The document of the admin API refuses exactly what the service refuses with 400: at every bound, and beyond it.

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked, not modelled
type Json = any

const service = await startOperatorService({ after })
const document: Json = JSON.parse(JSON.stringify(buildOpenApi()))
const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)
ajv.addSchema(document, 'openapi')

const OTHER_TYPES = [null, true, 5, 1.5, 'text', [], {}]
/** The domain takes white space away around a name; the schemas allow of it what no reader would see as a mistake. */
const NAMES = [
  ...['', ' ', '\u2028\u3000', 'x', '🐕', 'Rex & Sons', 'a b', ' a', 'Zoë', '12-34', '4 2', '-', '--5', '4.2', '1e3'],
  ...[
    '42',
    '007',
    '-42',
    ' 42 ',
    '\u00a042',
    '42\u3000',
    '9223372036854775808',
    'a\u0007b',
    'a\nb',
    'a\u0085b',
    'a\u007fb',
    'a\u0000b',
    '\ufeff',
    '\u3164',
    'a\u202eb',
    'a\u200bb',
    'a\u00adb',
    'a\u2028b',
    'a\u2027b',
  ],
  ...[99, 100, 101, 254, 255, 256].flatMap(length => ['x'.repeat(length), '🐕'.repeat(length)]),
]
const INTEGERS = [
  -1,
  0,
  1,
  2,
  99,
  100,
  101,
  86_400,
  31_536_000,
  31_536_001,
  1_000_000_000,
  1_000_000_001,
  2 ** 53,
  -(2 ** 31),
]
/** None is in the past, which a schema cannot express. */
const INSTANTS = [
  ...[
    '2099-12-31T00:00:00Z',
    '2099-12-31t00:00:00z',
    '2099-12-31T00:00:00.123456789+01:00',
    '2099-12-31T23:59:59-11:30',
  ],
  ...['2099-12-31', '2099-12-31T00:00:00', '2099-12-31T00:00Z', '2099-12-31 00:00:00Z', '2099-12-31T00:00:00+01'],
  ...['2099-02-30T00:00:00Z', '2099-13-01T00:00:00Z', '2099-12-31T24:00:00Z', '2099-12-31T00:60:00Z'],
  ...[
    '2099-12-31T00:00:00Z[UTC]',
    '2099-12-31T00:00:00.1234567890Z',
    '2099-12-31T00:00:00,5Z',
    '+002099-12-31T00:00:00Z',
    '',
  ],
]
const WORDS = [
  '',
  'x',
  'available',
  'Sold',
  'free',
  'pro',
  'enterprise',
  'staff',
  'FREE',
  'account.create',
  'account',
  'key.issue',
]
const DAYS = [
  '2020-02-29',
  '2021-02-29',
  '2020-2-9',
  '2020-12-31T00:00:00Z',
  '20201231',
  '2020-13-01',
  '+002020-01-01',
  'today',
  '',
]
const DIMENSIONS = [
  'day',
  'key,day',
  'day,account,key,operation',
  'day,day',
  'hour,status',
  'day,',
  ',',
  '',
  'Day',
  'day, key',
  'name',
  'day;key',
]
const ORDERS = ['oldest', 'newest', 'name', 'usage', 'refused', 'Name', 'id', '', 'oldest,newest']
const IDS = ['0', '1', '-1', '9223372036854775807', '1.0', '1e3', '01', '+1', 'x', '']
const BOOLEANS = ['true', 'false', 'True', '1', 'yes', '']
const LIMITS = ['0', '1', '100', '101', '-1', '1.0', '050', '']

const STATUS_LISTS = [
  'available,pending',
  'sold,pending,available',
  'sold,sold',
  'sold,',
  ',sold',
  'available, sold',
  'Sold,pending',
]
const SELECTIONS = {
  filter: [
    { name: 'x' },
    { name: '' },
    { name: 5 },
    { status: [] },
    { status: ['sold', 'pending'] },
    { status: ['gone'] },
    { status: 'sold' },
    { categoryId: -1 },
    { categoryId: 1.5 },
    { categoryId: null },
    { after: 0, before: 2 ** 53 },
    { after: '1' },
    { unknown: 1 },
  ],
  ids: [[], [1], [0, -1, 1], [1.5], ['1'], [null], Array(1_000).fill(7), Array(1_001).fill(7)],
  change: [
    {},
    { name: 'Rex' },
    { name: '' },
    { name: 'x'.repeat(256) },
    { categoryId: 5, status: 'sold' },
    { status: 'gone' },
    { categoryId: '5' },
    { id: 5 },
  ],
}

const SOURCES = ['riverside', 'A.b_c-9', 'x'.repeat(64), 'x'.repeat(65), '-x', 'a b', 'a/b', 'é', '']
const REMOVALS = ['0', '20', '10%', '100%', '101%', '999999999', '1000000000', '-1', '1.5%', 'x', '%', '']

/** By the names of members and parameters. */
const VALUES: Record<string, readonly unknown[]> = {
  secret: ['', 'x', 'x'.repeat(2_000), 'x'.repeat(2_001)],
  source: SOURCES,
  keyColumn: [...WORDS, null],
  missing: ['sold', 'delete', 'keep', 'Sold', '', null],
  maxRemovals: [...REMOVALS, null],
  pauseSeconds: [...INTEGERS, null],
  meanings: [
    'status:Foster=pending',
    'status:Foster=ill\ncategoryId:Cat=2',
    'categoryId:Cat=2\n',
    'Foster=sold',
    '',
    null,
  ],
  newCategories: [true, false, 'true', null],
  ...SELECTIONS,
  name: NAMES,
  label: NAMES,
  version: ['', 'x'],
  categoryId: INTEGERS,
  entryId: INTEGERS,
  state: ['', 'before', 'after', 'Before'],
  status: WORDS,
  plan: WORDS,
  perMinute: INTEGERS,
  perDay: INTEGERS,
  expiresAt: INSTANTS,
  overlapSeconds: INTEGERS,
  keyExpiresAt: INSTANTS,
  validForSeconds: [...INTEGERS, 59, 60, 2_592_000, 2_592_001],
  scope: ['', 'x', 'Read', 'write', 'read', 'read-write'],
  networks: [
    ...[
      [],
      ['192.0.2.7'],
      ['::1', '2001:DB8::/32'],
      ['192.0.2.7/24', '192.0.2.0/24'],
      ['::ffff:192.0.2.7'],
      [null],
      [5],
      [[]],
    ],
    ...[
      ['192.0.2.7/33'],
      ['::/129'],
      ['10.1'],
      ['1::2::3'],
      [''],
      ['192.0.2.7\n'],
      ['fe80::1%eth0'],
      ['::1.2.3.4'],
      ['any'],
    ],
    ...[20, 21].map(count => Array.from({ length: count }, (_, index) => `192.0.2.${index}`)),
  ],
  token: ['', 'x', 'x'.repeat(1_000)],
  link: ['', 'x', 'x'.repeat(1_000)],
  role: WORDS,
}
const TEXTS: Record<string, readonly string[]> = {
  externalId: WORDS,
  keyColumn: WORDS,
  missing: ['sold', 'delete', 'keep', 'Sold', ''],
  maxRemovals: REMOVALS,
  name: NAMES,
  label: NAMES,
  status: [...WORDS, ...STATUS_LISTS],
  plan: WORDS,
  sort: [...ORDERS, 'Newest', '-id'],
  search: [...NAMES, 'abcd'],
  used: BOOLEANS,
  unusedSince: INSTANTS,
  expiresBefore: INSTANTS,
  action: WORDS,
  state: [
    ...WORDS,
    'in-force',
    'all',
    'active',
    'suspended',
    'open',
    'claimed',
    'expired',
    'revoked',
    'banned',
    'Open',
  ],
  account: NAMES,
  operation: WORDS,
  categoryId: IDS,
  id: IDS,
  after: IDS,
  before: IDS,
  limit: LIMITS,
  from: [...DAYS, ...INSTANTS.map(text => text.replace('2099', '2019'))],
  to: [...DAYS, ...INSTANTS],
  subjectKind: WORDS,
  subjectId: IDS,
  operator: NAMES,
  format: ['', 'ndjson', 'csv', 'CSV', 'json'],
  by: DIMENSIONS,
  key: IDS,
  unit: ['day', 'hour', 'Day', 'day,hour', 'key', ''],
  hours: ['0', '1', '24', '840', '841', '-1', '1.0', '024', ''],
  fill: BOOLEANS,
  top: ['0', '1', '1000', '1001', '-1', '1.0', '010', ''],
  mode: [...WORDS, 'add', 'update', 'Add'],
  dryRun: BOOLEANS,
  skipBad: BOOLEANS,
  ignoreOtherColumns: BOOLEANS,
  safeForSpreadsheets: BOOLEANS,
  categoryLabels: BOOLEANS,
  externalIds: BOOLEANS,
  newCategories: BOOLEANS,
  meanings: [
    ...WORDS,
    'status:Adopted=sold',
    'categoryId:Cats=2\r\n\n status : On = hold = Pending \n',
    'categoryId:Cats=Dogs and others',
    'status:Adopted=gone',
    'status:=sold',
    'categoryId:Cats=',
    'name:a=b',
    'status:a=sold\nx',
  ],
  sheet: WORDS,
  defaultName: NAMES,
  file: WORDS,
  delimiter: [...WORDS, 'comma', 'semicolon', 'tab', 'pipe', ',', 'Tab'],
  encoding: [...WORDS, 'utf-8', 'windows-1252', 'utf-16le', 'utf-16be', 'UTF-8', 'latin1'],
  idColumn: WORDS,
  nameColumn: WORDS,
  categoryIdColumn: WORDS,
  statusColumn: WORDS,
  defaultCategoryId: IDS,
  defaultStatus: WORDS,
}

/** Each accepted call starts a thread. Their parameters are tried unless another operation has the same ones. */
const COSTLY = ['importPets', 'syncSource', 'listBadLines', 'exportPets']
const parametersElsewhere = new Set(
  OPERATIONS.filter(({ id, query }) => query && !COSTLY.includes(id)).flatMap(operation =>
    at(pointerTo(operation)).parameters.map(({ name, schema }: Json) => JSON.stringify([name, schema])),
  ),
)

// Before the bodies, while the lists and files are short.
for (const operation of OPERATIONS.filter(({ query }) => query)) {
  test(`${operation.id}: the schemas of the query refuse what the service refuses, and nothing else`, async () => {
    const { parameters } = at(pointerTo(operation))
    // None of these calls uses it up: they read, or are refused.
    const { method, path, options } = await exampleOf(operation, service)
    // Its charset is refused after the query, and before a thread starts.
    if (operation.upload && COSTLY.includes(operation.id)) options.type = 'text/csv; charset=unknown'
    const isOptional = parameters.every((one: Json) => one.in !== 'query' || !one.required)
    const answer = await service.call(method, path, options)
    assert.equal(answer.status !== 400, isOptional, `without a query: ${answer.status} ${answer.text}`)
    for (const [index, { name, in: place, schema }] of parameters.entries()) {
      if (place !== 'query') continue
      if (COSTLY.includes(operation.id) && parametersElsewhere.has(JSON.stringify([name, schema]))) continue
      const accepted = new Set<boolean>()
      for (const text of TEXTS[name] ?? assert.fail(`texts of ${name}`)) {
        const value = read(text, schema)
        const isValid = matches(`${pointerTo(operation)}/parameters/${index}/schema`, value)
        const answer = await service.call(method, `${path}?${new URLSearchParams({ [name]: text })}`, options)
        accepted.add(isValid)
        assert.equal(answer.status !== 400, isValid, `${name}=${text.slice(0, 100)}: ${answer.status} ${answer.text}`)
      }
      assert.deepEqual([...accepted].toSorted(), [false, true], `some of ${name} are refused and some are not`)
    }
  })
}

for (const operation of OPERATIONS.filter(({ body }) => body)) {
  test(`${operation.id}: the schema of the body refuses what the service refuses, and nothing else`, async () => {
    const pointer = `${pointerTo(operation)}/requestBody/content/application~1json`
    const { examples } = at(pointer)
    const bodies: Json[] = Object.values<Json>(examples).map(({ value }) => value)
    const members = new Set(Object.keys(operation.body?.properties ?? {}))
    const accepted = new Set<boolean>()
    let example: Example | undefined
    for (const body of bodies) {
      await compare(body)
      await compare({ ...body, unknown: 1 })
      for (const member of members) {
        const { [member]: _, ...without } = body
        await compare(without)
        for (const value of [...OTHER_TYPES, ...(VALUES[member] ?? assert.fail(`values of ${member}`))]) {
          await compare({ ...body, [member]: value })
        }
      }
    }
    assert.deepEqual([...accepted].toSorted(), [false, true], 'some are refused and some are not')

    async function compare(body: Json): Promise<void> {
      const isValid = matches(`${pointer}/schema`, body)
      // A call that is refused changes nothing, so the next one has the same example.
      example ??= await exampleOf(operation, service)
      const { method, path, options } = example
      const answer = await service.call(method, path, { ...options, body })
      if (isValid) example = undefined
      accepted.add(isValid)
      assert.equal(
        answer.status !== 400,
        isValid,
        `${JSON.stringify(body).slice(0, 200)}: ${answer.status} ${answer.text}`,
      )
    }
  })
}

/** Each schema is compiled once. */
function matches(pointer: string, value: unknown): boolean {
  const validate = ajv.getSchema(`openapi#${pointer}`) ?? assert.fail(`no schema at ${pointer}`)
  return validate(value) as boolean
}

/** A parameter as tools write and read it: an integer is in plain decimal. */
function read(text: string, { type }: Json): unknown {
  if (type === 'boolean' && ['true', 'false'].includes(text)) return text === 'true'
  return type === 'integer' && /^(0|-?[1-9][0-9]*)$/.test(text) ? Number(text) : text
}

function pointerTo({ path, method }: { path: string; method: string }): string {
  return `/paths/${path.replaceAll('/', '~1').replaceAll(/[{}]/g, encodeURIComponent)}/${method.toLowerCase()}`
}

function at(pointer: string): Json {
  const steps = pointer.split('/').slice(1)
  return steps.reduce(
    (value, step) => value[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  )
}
