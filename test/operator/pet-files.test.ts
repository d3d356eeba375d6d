import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, test } from 'node:test'
import { temporaryFolder } from '../../src/app/temporary-folder.ts'
import { eventually } from '../support/eventually.ts'
import {
  type AdminAnswer,
  assertRefused,
  connectToOperators,
  type OperatorService,
  startOperatorService,
} from '../support/operator.ts'
import { makeWorkbook, pack, workbookParts } from '../support/workbook.ts'

// Files of animals, imported and exported over HTTP.

const service = await startOperatorService({ after })

const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const CSV = 'name,categoryId,status\nRex,7,sold\nBella,8,\n'

async function post(path: string, body: string | Uint8Array, type = 'text/csv'): Promise<AdminAnswer> {
  return service.call('POST', path, { body, type })
}

async function countPets(at: OperatorService = service): Promise<number> {
  return Number((await at.call('GET', '/pets/totals')).value.total)
}

test('a CSV file is imported, with one audit entry that names it', async () => {
  const { value } = await post('/pets/import?file=pets.csv', CSV)
  const { firstId, lastId, entryId, ...report } = value
  assert.deepEqual(report, {
    ...{ outcome: 'imported', mode: 'add', read: 2n, imported: 2n, updated: 0n, unchanged: 0n, badLines: 0n },
    ...{ badLinesOmitted: 0n, reasons: [], unknownValues: [], newCategories: [], bad: [] },
  })
  assert.equal(lastId, firstId + 1n)
  const { name, status } = (await service.call('GET', `/pets/${firstId}`)).value
  assert.deepEqual([name, status], ['Rex', 'sold'])
  const [entry] = (await service.call('GET', '/audit?limit=1')).value
  assert.deepEqual([entry.id, entry.action], [entryId, 'pet.import'])
  assert.equal(entry.details.file, 'pets.csv')
  assert.equal(entry.actor, `Anna (token ${service.admin.id})`)
})

test('a single bad line refuses the whole file; the response lists all with number, member, value and reason', async () => {
  const before = service.snapshot()
  const { value } = await post('/pets/import', 'name,categoryId\nRex,seven\nBella,8\nMax,9,10\n ,x\n')
  assert.equal(value.outcome, 'refused')
  assert.deepEqual([value.read, value.imported, value.badLines], [4n, 0n, 3n])
  assert.deepEqual(
    value.bad.map(({ line, problems }: AdminAnswer['value']) => [
      Number(line),
      problems.map(({ member, value: shown }: AdminAnswer['value']) => [member, shown]),
    ]),
    [
      [2, [['categoryId', 'seven']]],
      [4, []],
      [
        5,
        [
          ['name', null],
          ['categoryId', 'x'],
        ],
      ],
    ],
  )
  assert.match(
    value.bad[0].problems[0].reason,
    /^categoryId must be the number or the label of .*; "seven" is neither\.$/,
  )
  assert.match(value.bad[1].reason, /it has 3 values, but the header has 2 columns/)
  assert.deepEqual(service.snapshot(), before)
})

test('skipBad imports the good lines; a dry run changes nothing', async () => {
  const file = 'name,categoryId\nRex,seven\nBella,8\n'
  const count = await countPets()
  const before = service.snapshot()
  const checked = (await post('/pets/import?skipBad=true&dryRun=true', file)).value
  assert.deepEqual([checked.outcome, checked.imported, checked.badLines], ['checked', 1n, 1n])
  assert.deepEqual(service.snapshot(), before)
  const done = (await post('/pets/import?skipBad=true', file)).value
  assert.deepEqual([done.outcome, done.imported, done.badLines, done.bad.length], ['imported', 1n, 1n, 1])
  assert.equal(await countPets(), count + 1)
})

test('animals are corrected by id: empty or missing values stay; all or nothing; changes are recorded', async () => {
  const { firstId: id } = (await post('/pets/import', CSV)).value
  const other = id + 1n
  const update = (lines: string, more = '') => post(`/pets/import?mode=update${more}`, `id,name,status\n${lines}`)
  const missing = (await update(`${id},Max,\n999999,Tom,\n`)).value
  assert.deepEqual([missing.outcome, missing.updated, missing.bad[0].line], ['refused', 0n, 3n])
  assert.match(missing.bad[0].reason, /no animal with id 999999/)
  assert.equal((await service.call('GET', `/pets/${id}`)).value.name, 'Rex')
  const twice = (await update(`${id},Max,\n${id},Tom,\n`)).value
  assert.match(twice.bad[0].reason, /already in line 2/)
  const checked = (await update(`${id},Max,\n${other},Bella,available\n`, '&dryRun=true')).value
  assert.deepEqual([checked.outcome, checked.updated, checked.unchanged], ['checked', 1n, 1n])
  const done = (await update(`${id},Max,\n${other},Bella,available\n`)).value
  assert.deepEqual([done.outcome, done.updated, done.unchanged], ['imported', 1n, 1n])
  assert.deepEqual((await service.call('GET', `/pets/${id}`)).value, {
    ...(await service.call('GET', `/pets/${id}`)).value,
    ...{ id, name: 'Max', categoryId: 7n, status: 'sold' },
  })
  const [entry] = (await service.call('GET', '/audit?limit=1')).value
  assert.deepEqual([entry.action, Number(entry.details.count)], ['pet.update', 1])
  assert.equal((await service.call('GET', '/pets?name=max')).value.length, 1, 'it is found by its new name')
  const [event] = (await service.call('GET', `/pets/${id}/history`)).value
  assert.deepEqual([event.before.name, event.after.name], ['Rex', 'Max'], 'its history shows the change')
  const nothing = (await update(`${id},Max,\n`)).value
  assert.deepEqual([nothing.outcome, nothing.updated, nothing.unchanged], ['imported', 0n, 1n])
})

test('an update as NDJSON: null and an empty name are refused, not ignored', async () => {
  const { firstId: id } = (await post('/pets/import', CSV)).value
  const lines = [
    `{"id":${id},"status":null}`,
    `{"id":${id},"name":""}`,
    '{"name":"x"}',
    `{"id":${id},"status":"pending"}`,
  ]
  const type = 'application/x-ndjson'
  const { bad } = (await post('/pets/import?mode=update', lines.join('\n'), type)).value
  assert.deepEqual(
    bad.map(({ line, problems }: AdminAnswer['value']) => [Number(line), problems[0].member, problems[0].value]),
    [
      [1, 'status', 'null'],
      [2, 'name', ''],
      [3, 'id', null],
    ],
  )
})

test('delimiter, encoding and columns are recognised or chosen', async () => {
  const imported = async (query: string, body: string | Uint8Array, type?: string) => {
    const answer = await post(`/pets/import?${query}`, body, type)
    assert.equal(answer.value.outcome, 'imported', answer.text)
    return (await service.call('GET', `/pets/${answer.value.firstId}`)).value
  }
  for (const delimiter of [';', '\t', '|', ',']) {
    const name = delimiter === '\t' ? 'Zo\u00eb' : `Zo\u00eb${delimiter}1`
    assert.equal((await imported('', `name${delimiter}categoryId\n"${name}"${delimiter}7\n`)).name, name)
  }
  const latin = Buffer.from('name;categoryId\nZo\xeb;7\n', 'latin1')
  assert.equal((await imported('', latin, 'text/csv; charset=latin1')).name, 'Zo\u00eb')
  assert.equal((await imported('encoding=windows-1252', latin)).name, 'Zo\u00eb')
  assert.equal((await imported('encoding=cp1253', latin, 'text/csv; charset=utf-8')).name, 'Zo\u03bb')
  assert.equal(
    (await imported('', Buffer.from('name;categoryId\nZo\u00eb;7\n'), 'text/csv; charset=us-ascii')).name,
    'Zo\u00eb',
  )
  assert.equal((await imported('', Buffer.from('\ufeffname,categoryId\nZo\u00eb,7\n'))).name, 'Zo\u00eb')
  const utf16 = Buffer.from('\ufeffname\tcategoryId\nZo\u00eb\t7\n', 'utf16le')
  assert.equal((await imported('', utf16)).name, 'Zo\u00eb')
  assert.equal((await imported('', Buffer.from(utf16).swap16())).name, 'Zo\u00eb')
  assert.equal((await imported('encoding=windows-1252', utf16)).name, 'Zo\u00eb', 'a byte order mark takes precedence')
  assert.equal((await imported('', utf16.subarray(2))).name, 'Zo\u00eb', 'UTF-16 without a mark')
  const ndjson = Buffer.from('\ufeff{"name":"Zo\u00eb","categoryId":7}\r\n', 'utf16le')
  assert.equal((await imported('', ndjson, 'application/x-ndjson')).name, 'Zo\u00eb')
  assert.equal((await imported('', 'sep=;\nname;categoryId\nRex;7\n')).name, 'Rex')
  const query = 'nameColumn=Tier&ignoreOtherColumns=true&defaultCategoryId=-5&defaultStatus=pending'
  const pet = await imported(query, 'Preis;Tier\n5;Rex\n')
  assert.deepEqual([pet.name, pet.categoryId, pet.status], ['Rex', -5n, 'pending'])
  assertRefused(await post('/pets/import', 'Preis;Tier\n5;Rex\n'), 'conflict', /Unknown columns "Preis", "Tier"/)
  assertRefused(await post('/pets/import?nameColumn=Tier', CSV), 'conflict', /"name"/)
  assertRefused(await post('/pets/import', CSV, 'text/csv; charset=klingon'), 'unsupported_media_type')
  assertRefused(
    await post('/pets/import?encoding=klingon', CSV),
    'unsupported_media_type',
    /must be the name of an encoding/,
  )
})

test('one invalid character does not turn a file in UTF-8 into another encoding', async () => {
  const file = Buffer.concat([Buffer.from('name,categoryId\nZo\u00eb,7\nR'), Buffer.from([0xff]), Buffer.from('x,7\n')])
  const { outcome, bad } = (await post('/pets/import', file)).value
  assert.deepEqual([outcome, bad[0].line], ['refused', 3n])
  assert.equal(bad[0].reason, 'it is not valid UTF-8, unlike the rest of the file.')
})

test('an encoding that the bytes do not show must be given: the likely ones are listed, and nothing is imported', async () => {
  const before = service.snapshot()
  const early = Buffer.from('name;categoryId\nZo\xeb;7\n', 'latin1')
  const late = Buffer.from(`name;categoryId\n${'Rex N;1\n'.repeat(90_000)}J\xfcrgen;1\n`, 'latin1')
  for (const [file, likely] of [
    [early, /windows-1252 \("Zo\u00eb;7"\)/],
    [late, /windows-1252 \("J\u00fcrgen;1"\)/],
  ] as const) {
    for (const path of ['/pets/import', '/pets/import?skipBad=true&dryRun=true', '/pets/import/bad-lines']) {
      const answer = await post(path, file)
      assertRefused(answer, 'unknown_encoding', likely)
      assert.equal(answer.status, 409)
    }
  }
  assert.deepEqual(service.snapshot(), before)
})

test('an import and a preview refuse the same files in the same words', async () => {
  const before = service.snapshot()
  const cases: [file: string | Buffer, reason: RegExp][] = [
    [
      'PK\x03\x04...',
      /^The file is a workbook or another ZIP archive, not a CSV file; open it in a spreadsheet program/,
    ],
    ['<html><body><table>', /^The file is a web page \(HTML\)/],
    ['[\n{"name":"Rex"}]', /^The file is a JSON array; an import needs NDJSON/],
    [Buffer.from('\ufeff<?xml version="1.0"?>', 'utf16le'), /^The file is an XML file/],
    ['Rex;1;available\nTom;2;sold\n', /^Line 1 looks like an animal, .* before it: name;categoryId;status$/],
    ['\n;;\n17|Rex|1\n', /^Line 3 looks like an animal, .* before it: id\|name\|categoryId$/],
    ['“name”,“categoryId”\n“Rex”,“1”\n', /^The header \(line 1\) has curly quotes around “name”/],
    ['"name,categoryId\nRex,1\n', /^The header \(line 1\) cannot be read: it opens a quote that is not closed\./],
  ]
  for (const [file, reason] of cases) {
    for (const path of ['/pets/import', '/pets/import/preview', '/pets/import/bad-lines']) {
      assertRefused(await post(path, file), 'conflict', reason)
    }
  }
  assert.deepEqual(service.snapshot(), before)
})

test('a preview begins at the header, below a title', async () => {
  const { value } = await post('/pets/import/preview', 'Shelter Riverside;;\n\nPet name;Species;Status\nRex;7;sold\n')
  assert.deepEqual([value.header, value.rows], [['Pet name', 'Species', 'Status'], [['Rex', '7', 'sold']]])
  const other = await post('/pets/import/preview', 'Shelter;Riverside;\nPet name;Species;Status\n')
  assert.deepEqual(other.value.header, ['Shelter', 'Riverside'], 'two values are not a title')
})

test('a title does not decide on the delimiter', async () => {
  for (const title of ['Shelter Riverside', '"Shelter Riverside"', 'Shelter, Riverside', 'Shelter\n\n1 May, 8 am']) {
    for (const [name, delimiter] of [
      ['semicolon', ';'],
      ['tab', '\t'],
      ['pipe', '|'],
    ] as const) {
      const lines = [title, ['Pet name', 'Species', 'Status'].join(delimiter), ['Rex', '7', 'sold'].join(delimiter)]
      const { value } = await post('/pets/import/preview', lines.join('\n'))
      assert.deepEqual([value.delimiter, value.header], [name, ['Pet name', 'Species', 'Status']], title)
      assert.deepEqual(value.rows, [['Rex', '7', 'sold']])
    }
  }
  const { value } = await post('/pets/import/preview', 'Called;Sort\nRex, name;dog\n')
  assert.deepEqual(value.header, ['Called', 'Sort'], 'one word below an unknown header is no header')
})

test('a preview reads leftovers of spreadsheets as an import does', async () => {
  const file = 'sep=;,,\r name , "category" ,status,,\r\rRex, "1" ,,,\r"",\u00a0,,,\rTom,2,sold,,\r'
  const { value } = await post('/pets/import/preview', file)
  assert.deepEqual([value.delimiter, value.header], ['comma', ['name', 'category', 'status']])
  assert.deepEqual(value.rows, [
    ['Rex', '1', ''],
    ['Tom', '2', 'sold'],
  ])
  const macintosh = await post('/pets/import/preview', `name,categoryId\r${'Rex,7\r'.repeat(20_000)}`)
  assert.equal(macintosh.value.rows.length, 20)
})

test('a preview shows how a file would be read, and suggests columns', async () => {
  const before = service.snapshot()
  const { value } = await post('/pets/import/preview', 'Pet-ID;Pet name;Category\n1;Zo\u00eb;7\n')
  assert.deepEqual(value, {
    delimiter: 'semicolon',
    sheets: [],
    encoding: 'utf-8',
    guesses: [],
    header: ['Pet-ID', 'Pet name', 'Category'],
    columns: { id: 'Pet-ID', name: 'Pet name', categoryId: 'Category' },
    rows: [['1', 'Zo\u00eb', '7']],
  })
  const large = await post('/pets/import/preview', `name,categoryId\n${'Rex,7\n'.repeat(200_000)}`)
  assert.equal(large.value.rows.length, 20)
  assertRefused(await post('/pets/import/preview', ''), 'conflict')
  const utf16 = Buffer.from(`\ufeffname\tcategoryId\n${'Rex\t7\n'.repeat(20_000)}`, 'utf16le')
  assert.partialDeepStrictEqual((await post('/pets/import/preview', utf16)).value, { encoding: 'utf-16le' })
  assert.deepEqual(service.snapshot(), before)
})

test('a preview of a file whose encoding must be given has the likely ones, also when one was given', async () => {
  const file = Buffer.from(`name;categoryId\n\xcc\xf3\xf0\xea\xe0;7\n${'Rex;7\n'.repeat(20_000)}`, 'latin1')
  const open = (await post('/pets/import/preview', file)).value
  assert.deepEqual([open.encoding, open.rows[0][0]], [null, '\u041c\u0443\u0440\u043a\u0430'])
  assert.deepEqual(open.guesses[0], { encoding: 'windows-1251', lines: ['\u041c\u0443\u0440\u043a\u0430;7'] })
  assert.ok(open.guesses.length > 1)
  const given = (await post('/pets/import/preview?encoding=windows-1253', file)).value
  assert.deepEqual([given.encoding, given.rows[0][0]], ['windows-1253', '\u039c\u03c3\u03c0\u03ba\u03b0'])
  assert.deepEqual(given.guesses, open.guesses)
})

test('an export has the selected animals, and can be imported again', async t => {
  const own = await startOperatorService(t)
  await own.call('POST', '/pets/import', {
    body: 'name,categoryId,status\nZo\u00eb,7,sold\nRex,8,\n=1+1,7,pending\n',
    type: 'text/csv',
  })
  const read = async (query: string) => own.call('GET', `/pets/export?${query}`)
  const names = async (query: string) =>
    (await read(query)).text
      .trim()
      .split('\n')
      .map(line => line && JSON.parse(line).name)
  assert.deepEqual(await names(''), ['Zo\u00eb', 'Rex', '=1+1'])
  assert.deepEqual(await names('name=zoe'), ['Zo\u00eb'])
  assert.deepEqual(await names('status=pending,sold&categoryId=7'), ['Zo\u00eb', '=1+1'])
  assert.deepEqual(await names('categoryId=99'), [''])
  const csv = await read('format=csv&delimiter=tab&safeForSpreadsheets=true&status=pending')
  assert.equal(csv.header('content-type'), 'text/csv; charset=utf-8')
  assert.match(csv.header('content-disposition') ?? '', /^attachment; filename="animals-\d{4}-\d\d-\d\d\.csv"$/)
  assert.equal(csv.text, "\ufeffid\tname\tcategoryId\tstatus\n3\t'=1+1\t7\tpending\n")
  assertRefused(await read('format=ndjson&delimiter=tab'), 'invalid_parameter')
  for (const query of ['format=ndjson&categoryLabels=true', 'format=xlsx&delimiter=tab']) {
    assertRefused(await read(query), 'invalid_parameter')
  }
  await own.call('PUT', '/categories/7', { body: { label: '=Cats' } })
  assert.equal(
    (await read('categoryLabels=true&safeForSpreadsheets=true&status=sold')).text,
    "\ufeffid,name,categoryId,categoryLabel,status\n1,Zo\u00eb,7,'=Cats,sold\n",
  )
  const workbook = await read('format=xlsx')
  assert.equal(workbook.header('content-type'), WORKBOOK)
  assert.match(workbook.header('content-disposition') ?? '', /^attachment; filename="animals-\d{4}-\d\d-\d\d\.xlsx"$/)
  const back = await own.call('POST', '/pets/import?mode=update', { body: workbook.body, type: WORKBOOK })
  assert.deepEqual([back.value.updated, back.value.unchanged], [0n, 3n], back.text)
  const other = await startOperatorService(t)
  const file = (await read('format=csv')).text
  await other.call('POST', '/pets/import', { body: file, type: 'text/csv' })
  assert.equal((await other.call('GET', '/pets/export?format=csv')).text, file)
})

test('an export has external ids on request; an import skips them, because only a sync sets them', async t => {
  const own = await startOperatorService(t)
  const read = async (query: string) => own.call('GET', `/pets/export?${query}`)
  await own.call('POST', '/pets', { body: { name: 'Zo\u00eb', categoryId: 7, status: 'sold' } })
  await own.call('POST', '/sources', { body: { name: 'riverside' } })
  const feed = await own.call('PUT', '/sources/riverside/file', {
    body: 'ID,name,categoryId\n0017,Tom,7\n',
    type: 'text/csv',
  })
  assert.equal(feed.value.added, 1n, feed.text)
  const withIds = await read('externalIds=true&name=o')
  const rows = '1,Zo\u00eb,7,sold,,\n2,Tom,7,available,riverside,0017\n'
  assert.equal(withIds.text, `\ufeffid,name,categoryId,status,source,externalId\n${rows}`)
  assertRefused(await read('format=ndjson&externalIds=true'), 'invalid_parameter', /requires format=csv or format=xlsx/)
  const changed = withIds.text.replace('0017', '0018').replace('Tom', 'Tim')
  const corrected = await own.call('POST', '/pets/import?mode=update', { body: changed, type: 'text/csv' })
  assert.deepEqual([corrected.value.updated, corrected.value.unchanged], [1n, 1n], corrected.text)
  assert.equal((await own.call('GET', '/pets/2')).value.origin.externalId, '0017', 'only a sync sets it')
  assertRefused(
    await own.call('POST', '/pets/import', { body: 'name,categoryId,externalId\nRex,1,x\n', type: 'text/csv' }),
    'conflict',
    /Unknown column "externalId"/,
  )
  const workbook = await read('format=xlsx&externalIds=true')
  const back = await own.call('POST', '/pets/import?mode=update', { body: workbook.body, type: WORKBOOK })
  assert.deepEqual([back.value.updated, back.value.unchanged], [0n, 2n], back.text)
})

test('a running import is listed with its progress; leaving before its end stops it', async () => {
  const before = await countPets()
  const connection = await connectToOperators(service)
  const file = `name,categoryId\nBella,x\n${'Rex,7\n'.repeat(200_000)}`
  connection.write(head('/pets/import', `X-Request-Id: import-7\r\nContent-Length: ${file.length}`))
  connection.write(file.slice(0, 1_000))
  const running = async () => (await service.call('GET', '/pets/import')).value[0]
  const { requestId, actor, bytes, read, isRead } = await eventually(async () => {
    assert.ok(await running())
    return running()
  })
  assert.deepEqual(
    [requestId, actor, bytes, read, isRead],
    ['import-7', `Anna (token ${service.admin.id})`, 0n, 0n, false],
  )
  connection.write(file.slice(1_000))
  await eventually(async () => {
    const { badLines, read, isRead } = await running()
    assert.deepEqual([badLines, isRead], [1n, false])
    assert.ok(read > 1_000n)
  })
  connection.reset()
  await eventually(async () => assert.deepEqual((await service.call('GET', '/pets/import')).value, []))
  assert.equal(await countPets(), before)
})

test('senders of files that do not arrive hold up no import', async () => {
  const connections = await Promise.all([1, 2, 3, 4].map(() => connectToOperators(service)))
  for (const connection of connections)
    connection.write(`${head('/pets/import', 'Content-Length: 1000000')}name,categoryId\nRex,7\n`)
  await eventually(async () => assert.equal((await service.call('GET', '/pets/import')).value.length, 4))
  assert.equal((await post('/pets/import', CSV)).value.outcome, 'imported')
  for (const connection of connections) connection.reset()
  await eventually(async () => assert.deepEqual((await service.call('GET', '/pets/import')).value, []))
})

test('of very many bad lines, the first 1,000 are listed; all are counted, by reason', async () => {
  const file = `name,categoryId,status\n${'a,b,c\n'.repeat(20_000)}Rex,7,sold,x\n`
  const { value, text } = await post('/pets/import?skipBad=true&dryRun=true', file)
  assert.deepEqual([value.badLines, value.badLinesOmitted, value.bad.length], [20_001n, 19_001n, 1_000])
  assert.equal(value.bad[999].line, 1_001n)
  assert.deepEqual(value.reasons, [
    {
      reason: 'categoryId must be the number or the label of a category; "b" is neither.',
      ...{ count: 20_000n, firstLines: [2n, 3n, 4n] },
    },
    { reason: 'status must be one of available, pending, sold.', count: 20_000n, firstLines: [2n, 3n, 4n] },
    { reason: 'it has 4 values, but the header has 3 columns.', count: 1n, firstLines: [20_002n] },
  ])
  assert.ok(text.length < 500_000, 'the response does not grow with the file')
})

test('an update counts the animals that are missing under one reason', async () => {
  const lines = Array.from({ length: 3_000 }, (_, index) => `${index + 10_000_000},Rex\n`)
  const { value } = await post('/pets/import?mode=update', `id,name\n${lines.join('')}`)
  assert.deepEqual([value.badLines, value.bad.length], [3_000n, 1_000])
  assert.deepEqual(
    value.reasons.map(({ reason, count }: AdminAnswer['value']) => [reason, count]),
    [['there is no animal with id ….', 3_000n]],
  )
})

test('all bad lines are returned as a file for a spreadsheet, and nothing is imported', async () => {
  const before = service.snapshot()
  const file = `name;kategorie\n${'Rex;1\n'.repeat(2_000)}${'=1+1;-x\n'.repeat(2_000)};y\n`
  const answer = await post('/pets/import/bad-lines?categoryIdColumn=kategorie', file)
  const lines = answer.text.split('\r\n')
  assert.equal(answer.header('content-disposition'), 'attachment; filename="bad-lines.csv"')
  assert.equal(answer.header('content-type'), 'text/csv; charset=utf-8')
  assert.deepEqual([lines.length, lines[0]], [2_003, '\ufeffname;kategorie;problem (not imported)'])
  assert.match(
    lines[1] ?? '',
    /^'=1\+1;'-x;"line 2002: categoryId must be the number or the label of a category; ""'-x"" is/,
  )
  assert.match(lines[2_001] ?? '', /^;y;"line 4002: name is missing; categoryId must be/)
  const none = '\ufeffname,categoryId,status,problem (not imported)\r\n'
  assert.equal((await post('/pets/import/bad-lines', CSV)).text, none)
  const again = (await post('/pets/import?dryRun=true', `${none}Rex,1,sold,line 2: x\r\n,,,line 3: y\r\n`)).value
  assert.deepEqual(
    again.bad.map(({ reason }: AdminAnswer['value']) => reason),
    ['it has a problem, but no values; fill them in, or remove the line.'],
  )
  assertRefused(await post('/pets/import/bad-lines', file), 'conflict', /Unknown column "kategorie"/)
  assert.deepEqual(service.snapshot(), before)
})

test('the file of bad lines is imported again once they are corrected, and says what is still wrong', async () => {
  const file = 'Colour;Animal Name;Type;State\nred;=Rex;1;Adopted\nblue;Tom;1;sold\ngrey;#N/A;-1;sold\n;"Kit ""K""";;\n'
  const query = 'ignoreOtherColumns=true&meanings=status:Adopted%3Dsold'
  const first = await post(`/pets/import/bad-lines?${query}`, file)
  assert.deepEqual(first.text.split('\r\n'), [
    '\ufeffColour;Animal Name;Type;State;problem (not imported)',
    `grey;#N/A;'-1;sold;"line 4: name must not be ""#N/A"", which is an error value of a spreadsheet; NDJSON and the console accept it as a name."`,
    ';"Kit ""K""";;;line 5: categoryId is missing.',
    '',
  ])
  const corrected = first.text.replace('#N/A', "'=Grey").replace('K""";;', 'K""";Kittens;')
  const second = await post(`/pets/import/bad-lines?${query}`, corrected)
  const [, row] = second.text.split('\r\n')
  assert.match(row ?? '', /^;"Kit ""K""";Kittens;;"line 3: categoryId must be .*""Kittens"" is neither\."$/)
  const again = (await post(`/pets/import?${query}&newCategories=true`, corrected)).value
  assert.deepEqual([again.outcome, again.imported, again.newCategories.length], ['imported', 2n, 1])
  const [{ id }] = again.newCategories
  const pets = (await service.call('GET', '/pets?sort=newest&limit=2')).value
  assert.deepEqual(
    pets.map(({ name, categoryId, categoryLabel }: AdminAnswer['value']) => [name, categoryId, categoryLabel]),
    [
      ['Kit "K"', id, 'Kittens'],
      ['=Grey', -1n, null],
    ],
  )
  const [entry] = (await service.call('GET', '/audit?action=category.label&limit=1')).value
  assert.deepEqual(entry.after, { label: 'Kittens' })
})

test('words get meanings, labels are found, and unknown words are listed, the most frequent first', async () => {
  await service.call('PUT', '/categories/31', { body: { label: 'Hamsters' } })
  const file = [
    'Name,Category,Status',
    ...['Rex,hamsters,Adopted', 'Tom,31.0,On hold', 'Kit,Snakes,adopted', 'Max,snakes,SOLD', 'Zoe,SNAKES,'],
  ].join('\n')
  const refused = (await post('/pets/import', file)).value
  assert.deepEqual(refused.unknownValues, [
    { member: 'categoryId', value: 'Snakes', count: 3n, firstLines: [4n, 5n, 6n] },
    { member: 'status', value: 'Adopted', count: 2n, firstLines: [2n, 4n] },
    { member: 'status', value: 'On hold', count: 1n, firstLines: [3n] },
  ])
  const meanings = 'status:Adopted=sold\nstatus:on hold=pending\ncategoryId:snakes=HAMSTERS'
  const { outcome, firstId } = (await post(`/pets/import?meanings=${encodeURIComponent(meanings)}`, file)).value
  assert.equal(outcome, 'imported')
  const pets = (await service.call('GET', `/pets?after=${firstId - 1n}&limit=5`)).value
  assert.deepEqual(
    pets.map(({ name, categoryId, status }: AdminAnswer['value']) => [name, categoryId, status]),
    [
      ['Rex', 31n, 'sold'],
      ['Tom', 31n, 'pending'],
      ['Kit', 31n, 'sold'],
      ['Max', 31n, 'sold'],
      ['Zoe', 31n, 'available'],
    ],
  )
  const [entry] = (await service.call('GET', '/audit?action=pet.import&limit=1')).value
  assert.deepEqual(entry.details.columns, 'Name, Category, Status')
  assert.equal(entry.details.meanings, meanings)
  assertRefused(await post('/pets/import?meanings=Adopted', file), 'invalid_parameter', /is not a meaning/)
})

test('a workbook is previewed and imported, from its first sheet or the chosen one', async () => {
  const rows = (name: string) => [
    ['ID', 'Animal Name', 'Type', 'Status'],
    ['A17', name, 7, 'Sold'],
  ]
  const dogs = [...rows('Rex'), ['A18', 'Mia', 7]]
  const file = pack(workbookParts({ Dogs: { rows: dogs }, 'Cats & more': { rows: rows('Tom') } }))
  const preview = await post('/pets/import/preview', file, WORKBOOK)
  assert.deepEqual(preview.value, {
    delimiter: null,
    sheets: ['Dogs', 'Cats & more'],
    encoding: 'utf-8',
    guesses: [],
    header: ['ID', 'Animal Name', 'Type', 'Status'],
    // The ids are not numbers, so they are from another system.
    columns: { name: 'Animal Name', categoryId: 'Type', status: 'Status' },
    rows: [
      ['A17', 'Rex', '7', 'Sold'],
      ['A18', 'Mia', '7', ''],
    ],
  })
  const other = (await post('/pets/import/preview?sheet=Cats+%26+more', file, WORKBOOK)).value
  assert.deepEqual(other.rows, [['A17', 'Tom', '7', 'Sold']])
  const query = 'sheet=Cats+%26+more&ignoreOtherColumns=true'
  const { outcome, firstId } = (await post(`/pets/import?${query}`, file, WORKBOOK)).value
  assert.equal(outcome, 'imported')
  const { name, categoryId, status } = (await service.call('GET', `/pets/${firstId}`)).value
  assert.deepEqual([name, categoryId, status], ['Tom', 7n, 'sold'])
  const list = await post('/pets/import/bad-lines?ignoreOtherColumns=true&idColumn=ID', file, WORKBOOK)
  assert.match(
    list.text,
    /^\ufeffID,Animal Name,Type,Status,problem .*\r\nA17,Rex,7,Sold,"line 2: id must be a whole number/,
  )
})

test('a workbook that is damaged or made to do harm is refused in words, and changes nothing', async () => {
  const before = service.snapshot()
  const parts = workbookParts({ A: { rows: [['name', 'categoryId']] } })
  const bomb = pack({ ...parts, 'xl/worksheets/sheet1.xml': Buffer.alloc(20_000_000, ' ') })
  const whole = makeWorkbook([['name', 'categoryId'], ...Array.from({ length: 5_000 }, (_, at) => [`Rex ${at}`, at])])
  for (const [file, reason] of [
    [bomb, /it would unpack to far more than a sheet can have/],
    [whole.subarray(0, -100), /it is damaged, or has not arrived completely/],
    [Buffer.from('name,categoryId\nRex,7\n'), /^The file is not a workbook/],
  ] as const) {
    for (const path of ['/pets/import', '/pets/import/preview', '/pets/import/bad-lines']) {
      assertRefused(await post(path, file, WORKBOOK), 'conflict', reason)
    }
  }
  assert.deepEqual(service.snapshot(), before)
})

test('an upload that stalls for too long changes nothing', async t => {
  const another = await startOperatorService(t, { timeouts: { headersMs: 1_000, requestMs: 1_000 } })
  const connection = await connectToOperators(another)
  connection.write(`${head('/pets/import', 'Content-Length: 1000000', another)}name,categoryId\nRex,7\n`)
  const answer = await connection.answer('POST')
  assert.equal(answer.json.code, 'request_timeout')
  assert.equal(await countPets(another), 0)
})

test('no temporary file is left behind', async () => {
  await post('/pets/import', 'name,categoryId\nRex,seven\n')
  const connection = await connectToOperators(service)
  connection.write(head('/pets/export').replace('POST', 'GET'))
  await connection.arrival()
  connection.reset()
  await eventually(() => {
    const left = readdirSync(temporaryFolder({ dataFolder: '', databaseUrl: undefined })).filter(
      name => name.startsWith(`petstore-${process.pid}-`) && name.endsWith('.tmp'),
    )
    assert.deepEqual(left, [])
  })
})

test('a download that is read slowly is cut off when its token is revoked', async t => {
  const own = await startOperatorService(t)
  // More than the buffers of a connection hold.
  const file = `name,categoryId\n${`${'\u{1f415}'.repeat(250)},7\n`.repeat(20_000)}`
  assert.equal((await own.call('POST', '/pets/import', { body: file, type: 'text/csv' })).value.imported, 20_000n)
  const { id, token } = await own.createToken('staff')
  const { host } = new URL(own.operatorUrl)
  const connection = await connectToOperators(own)
  connection.write(`GET /admin/v1/pets/export HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  await connection.arrival()
  connection.stopReading()
  await own.call('POST', `/tokens/${id}/revoke`)
  await eventually(() => {
    const line = own.logs.map(text => JSON.parse(text)).find(({ operation }) => operation === 'exportPets')
    assert.deepEqual([line?.status, line?.code], [401, 'invalid_token'])
  })
})

function head(path: string, more = 'X: y', { operatorUrl, admin } = service): string {
  const { host } = new URL(operatorUrl)
  return `POST /admin/v1${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${admin.token}\r\nContent-Type: text/csv\r\n${more}\r\n\r\n`
}
