import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillIn, placeholder, shellWordHtml, type Values } from './placeholders.ts'

const TEXT = `<a href="${placeholder('service')}docs">… ${placeholder('staging')}</a>`

function filled(mediaType: string, values: Partial<Values>): string {
  return fillIn(Buffer.from(TEXT), mediaType, values).toString()
}

test('a value is escaped for the media type, and nothing else changes', () => {
  const values = { service: `https://a.test/"<&'$&/é/`, staging: placeholder('service') }
  assert.equal(
    filled('text/html; charset=utf-8', values),
    `<a href="https://a.test/&quot;&lt;&amp;&#39;$&amp;/é/docs">… ${placeholder('service')}</a>`,
  )
  assert.equal(
    filled('application/json', values),
    `<a href="https://a.test/\\"<&'$&/é/docs">… ${placeholder('service')}</a>`,
  )
  assert.equal(
    filled('text/markdown; charset=utf-8', values),
    TEXT.replace(placeholder('service'), () => values.service).replace(placeholder('staging'), () => values.staging),
  )
})

test('a value that the listener does not have is an error', () => {
  assert.throws(() => filled('text/html', { service: 'https://a.test/' }), /needs the value of "staging"/)
})

test('a word of a shell command is quoted and marked only if necessary', () => {
  assert.deepEqual(shellWordHtml('https://a.test/v1'), { html: 'https://a.test/v1' })
  assert.deepEqual(shellWordHtml('https://a.test/b&c/v1'), {
    html: '<span class="hljs-string">&#39;https://a.test/b&amp;c/v1&#39;</span>',
  })
})
