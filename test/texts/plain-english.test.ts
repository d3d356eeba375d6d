import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Command } from 'commander'
import { buildOpenApi } from '../../site/operator-openapi.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { formatDocument } from '../../src/schema/openapi/format.ts'
import { ROOT } from '../support/guide-texts.ts'
import { findPhrases, readPhraseList, withoutPhraseList } from '../support/phrases.ts'

// Keeps the phrases of the list in CONTRIBUTING.md out of everything that users read: documents, help, messages, and the files of a deployment.

const CONTRIBUTING = 'CONTRIBUTING.md'
const LIST = readPhraseList(read(CONTRIBUTING))

describe('no phrase of the list is in', () => {
  test('the documents', () => {
    const documents = filesOf('*.md', '{bench,client,clients/python,deploy}/*.md', 'docs/**/*.md', 'test/**/*.md')
    assert.ok(documents.length > 40)
    assertPlain(documents.map(file => [file, file === CONTRIBUTING ? withoutPhraseList(read(file)) : read(file)]))
  })

  test('the files of a deployment', () => {
    const files = filesOf(
      'release/files/*',
      'deploy/**/*.{yaml,json,cfg,example,js,service,timer}',
      'Dockerfile',
      'deploy/systemd/petstore',
    )
    assert.ok(files.length > 20)
    assertPlain(files.map(file => [file, read(file)]))
  })

  test('the OpenAPI documents', () => {
    assertPlain([
      ['openapi.json', read('openapi.json')],
      ["the admin API's document", formatDocument(buildOpenApi(), 2)],
    ])
  })

  test('the help of any command', async () => {
    const helps = helpsOf(await buildProgram())
    assert.ok(helps.length > 30)
    assertPlain(helps)
  })

  test('the source: messages, comments and names', () => {
    const files = filesOf(
      'src/**/*.{ts,js,lua}',
      'client/src/**/*.ts',
      'clients/python/src/**/*.py',
      '{bench,bin,release,tools}/*.{ts,js}',
      'console/*.{ts,html}',
      'console/src/**/*.{ts,tsx,css}',
    ).filter(isShipped)
    assert.ok(files.length > 200)
    assertPlain(files.map(file => [file, read(file)]))
  })
})

test('the list has phrases to avoid, and some that are fine', () => {
  assert.ok(LIST.avoided.length > 20)
  assert.ok(LIST.fine.length > 0)
  for (const phrase of LIST.avoided) assert.match(phrase, /^[a-z]+(?: [a-z]+)*$/)
})

test('a phrase is found in any case and across lines, with its line', () => {
  for (const phrase of LIST.avoided) {
    for (const words of [phrase, phrase.toUpperCase(), phrase.replace(' ', '\n'), phrase.replace(' ', '\n * ')]) {
      const found = findPhrases(`One line.\nAnother ${words}, and so on.`, LIST)
      assert.deepEqual(
        found.map(({ line }) => line),
        [2],
        words,
      )
    }
  }
})

test('good English is left alone', () => {
  for (const text of [
    'The key is no longer valid, and no other process uses it. There is no account with this name.',
    'Indeed, we recommend an amendment. Ask the operator, and tell support. It is not known.',
    'This is not a number. That is nothing new. Go on-call. It is a stand-in.',
    ...LIST.fine,
  ]) {
    assert.deepEqual(findPhrases(text, LIST), [], text)
  }
})

function assertPlain(texts: readonly (readonly [name: string, text: string])[]): void {
  const found = texts.flatMap(([name, text]) =>
    findPhrases(text, LIST).map(({ line, phrase }) => `${name}:${line}: "${phrase}"`),
  )
  assert.deepEqual(found, [], `${found.join('\n')}\nWhat to write instead is in ${CONTRIBUTING}, "How we write".`)
}

/** The printed help of a command and all its subcommands. */
function helpsOf(command: Command, path = 'petstore'): [name: string, text: string][] {
  const help: string[] = []
  command.configureOutput({ writeOut: text => help.push(text) }).outputHelp()
  return [
    [`${path} --help`, help.join('')],
    ...command.commands.flatMap(child => helpsOf(child, `${path} ${child.name()}`)),
  ]
}

function filesOf(...patterns: string[]): string[] {
  return globSync(patterns, { cwd: ROOT }).toSorted()
}

function isShipped(file: string): boolean {
  return !/\.(?:test|contract)\.ts$|-contract\//.test(file)
}

function read(file: string): string {
  return readFileSync(ROOT + file, 'utf8')
}
