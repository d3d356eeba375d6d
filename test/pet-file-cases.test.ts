import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { copyFile, cp } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { prepareDatabase } from '../src/sqlite/prepare-database.ts'
import { runCommand } from './support/command-line.ts'
import { openDatabase } from './support/database.ts'
import { temporaryFolder } from './support/folder.ts'

// The right result of each file is in the tables beside the files; their README.md describes them.

interface Case {
  file: string
  args: string[]
  want: 'right' | 'refused' | 'either'
  pets: { id?: number; name: string; categoryId: number; status: string }[]
  says?: string[]
  nots?: string[]
  /** Commands that are run before. */
  before?: string[][]
  note: string
}

const FOLDER = fileURLToPath(new URL('cases/', import.meta.url))
/** Cases about the name of a file. */
const KEEPS_NAME = /\.(CSV|xlsx|tsv|ods|json|gz)$/

const emptyStore = await temporaryFolder({ after })
prepareDatabase(emptyStore, 'production')

describe('a file as people have it is read right, or refused in words', () => {
  for (const folder of [FOLDER, join(FOLDER, 'own')]) {
    for (const one of casesIn(folder)) {
      test([one.file, ...one.args, '–', one.note].join(' '), async t => {
        const store = await temporaryFolder(t)
        await cp(emptyStore, store, { recursive: true })
        const file = join(store, KEEPS_NAME.test(one.file) ? one.file : `animals${extname(one.file)}`)
        await copyFile(join(folder, one.file), file)
        for (const command of one.before ?? []) await runCommand(command, { PETSTORE_DATA: store })
        const { code, stdout, stderr } = await runCommand(['pet', 'import', file, ...one.args], {
          PETSTORE_DATA: store,
        })
        const output = stdout + stderr
        const pets = petsOf(store)
        if (one.want === 'right' || (one.want === 'either' && code === 0)) {
          assert.equal(code, 0, output)
          assert.partialDeepStrictEqual(pets, one.pets)
          assert.equal(pets.length, one.pets.length)
        } else {
          assert.deepEqual([code === 0, pets], [false, []], output)
          for (const pattern of one.says ?? []) assert.match(output, new RegExp(pattern, 'i'))
          for (const pattern of one.nots ?? []) assert.doesNotMatch(output, new RegExp(pattern, 'i'))
        }
      })
    }
  }
})

function casesIn(folder: string): Case[] {
  const cases: Case[] = JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8'))
  assert.ok(cases.length > 40)
  return cases
}

function petsOf(store: string): unknown[] {
  const database = openDatabase(store)
  try {
    return database
      .prepare('SELECT id, name, category_id AS categoryId, status FROM pet ORDER BY id')
      .all()
      .map(row =>
        Object.fromEntries(
          Object.entries(row).map(([key, value]) => [key, typeof value === 'bigint' ? Number(value) : value]),
        ),
      )
  } finally {
    database.close()
  }
}
