import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recogniseForeignFile, recogniseForeignName } from './foreign-files.ts'
import type { PetFileFormat } from './pet-files.ts'

test('a file is recognised by its first bytes as what it is', () => {
  const cases: [is: RegExp, ...starts: string[]][] = [
    [/^a workbook or another ZIP archive.*"CSV UTF-8"/, 'PK\x03\x04\x14\0', 'PK\x05\x06\0'],
    [/^an old workbook \(\.xls\)/, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
    [/^compressed;/, '\x1f\x8b\x08', 'BZh9', '\xfd7zXZ\0', '7z\xbc\xaf\x27\x1c', 'Rar!\x1a', '(\xb5\x2f\xfd'],
    [/^a document/, '%PDF-1.4', '{\\rtf1\\ansi'],
    [/^a picture/, '\x89PNG\r\n', '\xff\xd8\xff\xe0', 'GIF89a', 'RIFF\0\n\x01\0WEBP', '\0\0\0\x18ftypheic', 'II*\0'],
    [
      /^a web page/,
      '<html><head>',
      ' \r\n<!DOCTYPE HTML PUBLIC',
      '<table border=1>',
      '<?xml version="1.0"?><html>',
      '<!-- saved -->\n<html>',
    ],
    [/^a web page/, 'MIME-Version: 1.0\nX-Document-Type: Workbook'],
    [/^a table of a spreadsheet/, 'ID;PWXL;N;E\r\n', 'TABLE\r\n0,1\r\n'],
    [/^an XML file/, '<?xml version="1.0"?>', '<animals>\n  <animal', '<!DOCTYPE animals>', '\xef\xbb\xbf<?xml'],
    [/^a JSON array/, '[{"name":"Rex"}]', '[\n  {', '[]', '[["name"', '\xef\xbb\xbf[ {'],
    [/^a JSON object over several lines/, '{\n  "name"', '{ "pets": [\r\n', '{"name":"Rex",\n"categoryId":1}'],
  ]
  for (const [is, ...starts] of cases) {
    for (const start of starts) {
      for (const format of ['csv', 'ndjson'] as const) assert.match(recognised(start, format) ?? '', is, start)
    }
  }
  assert.match(recognised('{"name":"Rex"}\n', 'csv') ?? '', /^JSON, not CSV/)
})

test('text in UTF-16 is recognised, too', () => {
  for (const mark of ['', '\ufeff']) {
    const start = Buffer.from(`${mark}<html>`, 'utf16le')
    assert.match(recogniseForeignFile(start, 'csv') ?? '', /^a web page/)
    assert.match(recogniseForeignFile(start.swap16(), 'csv') ?? '', /^a web page/)
  }
})

test('files of animals are not taken for something else', () => {
  const ours: [PetFileFormat, string][] = [
    ['csv', ''],
    ['csv', 'name,categoryId\nRex,1\n'],
    ['csv', '<name>;<categoryId>\n'],
    ['csv', '[name],[categoryId]\n'],
    ['csv', '{name},{categoryId}\n'],
    ['csv', 'PK,name\n'],
    ['csv', 'ID;Pet name;categoryId\n'],
    ['csv', 'ID;P\n'],
    ['csv', '\xff\xfen\0a\0m\0e\0'],
    ['ndjson', '{"name":"Rex","categoryId":1}\n{"name":"[","categoryId":1}\n'],
    ['ndjson', ' { "name": "Rex" }'],
    ['ndjson', '{"name":"Rex"\n'],
  ]
  for (const [format, start] of ours) assert.equal(recognised(start, format), undefined, start)
})

test('as a workbook, only a ZIP archive can be read', () => {
  assert.equal(recognised('PK\x03\x04', 'xlsx'), undefined)
  assert.match(recognised('\xd0\xcf\x11\xe0', 'xlsx') ?? '', /^an old workbook \(\.xls\), or one with a password/)
  assert.match(recognised('<html>', 'xlsx') ?? '', /^a web page/)
  assert.match(recognised('name,categoryId\n', 'xlsx') ?? '', /^not a workbook/)
})

test('names of other files are recognised', () => {
  const names = ['a.xlsb', 'A.XLS', 'a.ods', 'a.json', 'a.ndjson.gz', 'a.pdf', 'a.html', 'a.xml', 'a.jpg']
  assert.equal(names.filter(name => recogniseForeignName(name) === undefined).length, 0)
  for (const name of ['a.xlsx', 'a.csv', 'a.tsv', 'a.ndjson', 'a.jsonl', 'a.txt', '-', 'json']) {
    assert.equal(recogniseForeignName(name), undefined)
  }
})

function recognised(start: string, format: PetFileFormat): string | undefined {
  return recogniseForeignFile(Buffer.from(start, 'latin1'), format)
}
