import assert from 'node:assert/strict'
import { DEMO_PETS } from '../../src/cli/demo-pets.ts'
import type { Answer, Language } from './read-samples.ts'

/**
 * Asserts that a sample has printed what its document shows. For an HTTP response, which only curl shows, that is the status and the headers in the
 * document; for other output the same words and numbers, in the notation of its language. An animal that is not from the demo has a new id each time.
 */
export function assertAnswer(language: Language, output: string, answer: Answer): void {
  if (answer.language === 'http') {
    assert.equal(language, 'sh', 'It shows no HTTP answer: it needs an answer of its own.')
    assertHead(output, answer.text)
    return
  }
  if (answer.language === 'json' && language === 'sh') {
    assert.deepEqual(JSON.parse(withoutNewIds(output)), JSON.parse(withoutNewIds(answer.text)))
  }
  assert.deepEqual(wordsOf(output), wordsOf(answer.text))
}

function assertHead(output: string, expected: string): void {
  // A long header is shown on several lines.
  const [status, ...names] = expected.replaceAll(/\n +/g, ' ').split('\n')
  const [printedStatus, ...printed] = output.split(/\r?\n/)
  assert.equal(printedStatus?.trim(), status)
  const told = names.map(line => line.split(': ', 1)[0])
  const answered = printed.filter(line => told.some(name => line.startsWith(`${name}: `)))
  assert.deepEqual(answered.map(comparable).toSorted(), names.map(comparable).toSorted())
}

function comparable(header: string): string {
  return header
    .replaceAll(/cursor=[\w-]+/g, 'cursor=…')
    .replace(/^ETag: ".*"$/, 'ETag: "…"')
    .replaceAll(/(\/pets\/)\d+/g, '$1…')
}

/** The words of printed values, without their notation, such as `{ id: 1n }`, `Pet(id=1)` and `{"id":1}`. */
function wordsOf(text: string): readonly string[] {
  return (
    withoutNewIds(text)
      .replaceAll(/(\d)n\b/g, '$1')
      .replaceAll(/\bPet\(/g, '(')
      .replaceAll(/\bcategory_id\b/g, 'categoryId')
      .match(/[\p{L}\p{N}_]+/gu) ?? []
  )
}

function withoutNewIds(text: string): string {
  return text.replaceAll(/\b(id\W{1,4})(\d+)/g, (whole, name, id) =>
    Number(id) > DEMO_PETS.length ? `${name}-1` : whole,
  )
}
