import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { prepareDatabase } from '../../src/sqlite/prepare-database.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Ending, runInTurn } from '../support/shared-command-process.ts'

// Exports on the command line: their kinds, the column with the labels of categories, and what it means in an import.

const folder = await temporaryFolder({ after })
prepareDatabase(folder, 'production')
await run('import', await file('animals.csv', 'name,categoryId\nRex,7\nTom,8\nBella,9\n'))
await run('label', '7', 'Cats')
await run('label', '8', 'Dogs')

test('an export to a name with .xlsx is a workbook, and only CSV has a delimiter', async () => {
  const path = join(folder, 'out.xlsx')
  assert.equal((await run('export', path)).stdout, `Exported 3 animals to ${path}.\n`)
  assert.equal((await readFile(path)).subarray(0, 2).toString(), 'PK')
  assert.equal((await run('import', path, '--update')).stdout, unchanged('out.xlsx', 3))
  for (const option of ['--delimiter=tab', '--category-labels', '--safe-for-spreadsheets']) {
    const { code, stderr } = await run('export', join(folder, 'other.xlsx'), option)
    assert.deepEqual([code, stderr], [2, `error: ${option.replace('=tab', '')} is for CSV files only.\n`])
  }
})

test('an option of imports that is not for files of this kind is refused', async () => {
  for (const [name, option, value, kinds] of [
    ['a.csv', '--sheet', 'Cats', 'workbooks'],
    ['a.xlsx', '--encoding', 'utf-8', 'CSV files'],
    ['a.ndjson', '--column', 'name=Pet', 'CSV files and workbooks'],
    ['a.ndjson', '--new-categories', undefined, 'CSV files and workbooks'],
  ] as const) {
    const words = value === undefined ? [option] : [option, value]
    const { code, stderr } = await run('import', join(folder, name), ...words)
    assert.deepEqual([code, stderr], [2, `error: ${option} is for ${kinds} only.\n`])
  }
})

test('CSV has the labels beside the numbers on request', async () => {
  const { stdout } = await run('export', '-', '--format', 'csv', '--category-labels')
  assert.equal(
    stdout,
    '\ufeffid,name,categoryId,categoryLabel,status\n1,Rex,7,Cats,available\n2,Tom,8,Dogs,available\n3,Bella,9,,available\n',
  )
})

test('CSV and workbooks have external ids on request, which come back unharmed', async () => {
  const feed = await file('feed.csv', 'ID,name,categoryId\n0017,Kira,7\n')
  await run('sync', feed, '--source', 'riverside')
  const { stdout } = await run('export', '-', '--format', 'csv', '--external-ids', '--name', 'i')
  assert.equal(stdout, '\ufeffid,name,categoryId,status,source,externalId\n4,Kira,7,available,riverside,0017\n')
  const workbook = join(folder, 'ids.xlsx')
  await run('export', workbook, '--external-ids')
  assert.equal((await run('import', workbook, '--update')).stdout, unchanged('ids.xlsx', 4))
  const { code, stderr } = await run('export', join(folder, 'ids.ndjson'), '--external-ids')
  assert.deepEqual([code, stderr], [2, 'error: --external-ids is for CSV files and workbooks only.\n'])
  await run('delete', '4', '--yes')
})

test('a label that is not that of the number makes the line invalid, so that changing one of them is not ignored', async () => {
  const header = 'id,categoryId,categoryLabel\n'
  const lines = [
    ['1,7,Dogs', 'it has the category 7 ("Cats"), but the label "Dogs"; correct one of them, or leave it empty.'],
    ['1,8,Cats', 'it has the category 8 ("Dogs"), but the label "Cats"; correct one of them, or leave it empty.'],
    ['1,7,Fish', 'it has the category 7 ("Cats"), but the label "Fish"; correct one of them, or leave it empty.'],
    [
      '3,9,Fish',
      'it has the category 9 (which has no label), but the label "Fish"; correct one of them, or leave it empty.',
    ],
  ]
  const path = await file('changed.csv', `${header}${lines.map(([line]) => line).join('\n')}\n`)
  const { code, stderr } = await run('import', path, '--update')
  assert.equal(code, 1)
  assert.deepEqual(
    stderr.split('\n').slice(0, 4),
    lines.map(([, reason], at) => `line ${at + 2}: ${reason}`),
  )
})

test('a label counts where the number is empty or has no column; one with a meaning agrees with its number', async () => {
  const dryRun = async (text: string, ...options: string[]) =>
    (await run('import', await file('labels.csv', text), '--update', '--dry-run', ...options)).stdout
  const corrected = (count: string, others: string) => `Would correct ${count} from labels.csv.${others}\n`
  assert.equal(
    await dryRun('id,categoryId,categoryLabel\n1,,dogs\n2,8, DOGS \n'),
    corrected('1 animal', ' 1 animal needed no correction.'),
  )
  assert.equal(await dryRun('id,Category Label\n1,Dogs\n2,Cats\n'), corrected('2 animals', ''))
  const renamed = 'id,categoryId,categoryLabel\n1,7,Kittens\n'
  assert.equal(await dryRun(renamed, '--value', 'categoryId:Kittens=7'), unchanged('labels.csv', 1))
  assert.equal(await dryRun('id,categoryId,categoryLabel\n2,8,\n'), unchanged('labels.csv', 1))
  assert.equal(
    await dryRun('id,categoryId,categoryLabel\n3,,Fish\n1,,Fish\n', '--new-categories'),
    corrected('2 animals', ' New categories would be: 10 (Fish).'),
  )
})

test('a word that had a meaning in the last file with these columns is listed with the option that gives it again', async () => {
  const path = await file('feed.csv', 'Pet name,Type,State\nMax,7,Adopted\nTim,7,On hold\n')
  const value = ['--value', 'status:adopted=sold', '--value', 'status:On  hold=pending']
  assert.equal((await run('import', path, ...value)).code, 0)
  const day = new Date().toISOString().slice(0, 10)
  const { code, stderr } = await run('import', path)
  assert.equal(code, 1)
  assert.match(
    stderr,
    new RegExp(`^"Adopted", 1 line \\(2\\): add --value 'status:Adopted=sold' if it means the same as on ${day}$`, 'm'),
  )
  assert.match(stderr, new RegExp(`add --value 'status:On hold=pending' if it means the same as on ${day}$`, 'm'))
  const other = await run('import', await file('other.csv', 'name,categoryId,status\nMax,7,Adopted\n'))
  assert.match(other.stderr, /^"Adopted", 1 line \(2\): choose what it means with --value 'status:Adopted=…'$/m)
})

function unchanged(name: string, count: number): string {
  return `There is nothing to correct in ${name}. ${count === 1 ? '1 animal' : `${count} animals`} needed no correction.\n`
}

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

async function run(command: string, ...words: readonly string[]): Promise<Ending> {
  const noun = command === 'label' ? 'category' : 'pet'
  const env = { PATH: process.env.PATH, PETSTORE_DATA: folder }
  const [ending] = await runInTurn([[noun, command, ...words]], env)
  return ending as Ending
}
