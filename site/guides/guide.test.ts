import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseGuide } from './guide.ts'

const HEAD = '# A title\n\nA *short* summary.\n\n'

test('a guide begins with its title and its summary', () => {
  const guide = parseGuide('one', `${HEAD}Text.\n`)
  assert.equal(guide.title, 'A title')
  assert.equal(guide.summary, 'A short summary.')
  assert.equal(guide.summaryHtml, 'A <em>short</em> summary.')
  assert.equal(guide.html, '<p>Text.</p>\n')
  assert.throws(() => parseGuide('one', 'Text.'), /one does not begin with a title/)
  assert.throws(() => parseGuide('one', '# Title\n\n- a list'), /one has no summary/)
})

test('HTML in a text is shown, not obeyed', () => {
  for (const markdown of [
    '<script>alert(1)</script>',
    'a <b onclick="alert(1)">b</b>',
    '![x](x"onerror="y)',
    '```"><i>\n<b>&"\n```',
    '```sh\necho "<b>"\n```',
  ]) {
    const { html } = parseGuide('one', HEAD + markdown)
    assert.doesNotMatch(html, /<(?:script|b|i|img)\b/, markdown)
  }
})

test('only a picture that is known is shown, one for light and one for dark pages', () => {
  const pictures = { 'list.webp': { light: '../../a.webp?1', dark: '../../b.webp?"' } }
  const show = (image: string) => parseGuide('one', `${HEAD}![The "list"](${image})`, pictures).html
  const [light, dark, ...others] = show('list.webp').match(/<img [^>]*>/g) ?? []
  assert.match(
    light ?? '',
    /class="picture on-light" src="..\/..\/a.webp\?1" alt="The &quot;list&quot;" .*loading="lazy"/,
  )
  assert.match(dark ?? '', /class="picture on-dark" src="..\/..\/b.webp\?&quot;"/)
  assert.deepEqual(others, [])
  for (const image of ['other.webp', 'https://example.org/list.webp', 'constructor']) {
    assert.doesNotMatch(show(image), /<img/, image)
  }
})

test('a link leads to another guide, to a place or to another site, and nowhere else', () => {
  const link = (address: string) => parseGuide('one', `${HEAD}[word](${address})`).html
  const isFileAt = (address: string) => /href="([^"]*)"/.exec(link(address))?.[1]
  assert.equal(isFileAt('limits.md'), 'limits')
  assert.equal(isFileAt('./limits.md#bans'), 'limits#bans')
  assert.equal(isFileAt('#bans'), '#bans')
  assert.equal(isFileAt('/openapi.json'), '../../openapi.json')
  assert.equal(isFileAt('https://example.org/?a&b'), 'https://example.org/?a&amp;b')
  for (const address of ['javascript:alert(1)', 'JavaScript:alert(1)', 'data:text/html,x', 'vbscript:x']) {
    assert.equal(link(address), '<p>word</p>\n', address)
  }
})

test('every heading has its own anchor, and the text below it is a section', () => {
  const guide = parseGuide(
    'one',
    `${HEAD}## Back off\n\nWait.\n\n### \`rate_limit\`, no?\n\n| a | b |\n|-|-|\n| c | *d* |\n\n## Back off\n`,
  )
  assert.deepEqual(
    guide.headings.map(({ anchor }) => anchor),
    ['back-off', 'rate_limit-no', 'back-off-1'],
  )
  assert.match(
    guide.html,
    /<h3 id="rate_limit-no"><code>rate_limit<\/code>, no\?<\/h3><a .*aria-label="Link to “rate_limit, no\?”"/,
  )
  assert.deepEqual(
    guide.sections.map(({ heading, text }) => [heading?.text, text]),
    [
      [undefined, 'A short summary.'],
      ['Back off', 'Wait.'],
      ['rate_limit, no?', 'a b c d'],
      ['Back off', ''],
    ],
  )
})

test('a table has a name and can be scrolled by keyboard; a name in it may be broken between its words', () => {
  const { html } = parseGuide(
    'one',
    `${HEAD}| \`A\` b | c |\n|-|-|\n| \`ApiKeyError\` | \`api_key\`, \`X-RateLimit\` \`a<B\` |\n`,
  )
  assert.match(html, /<div class="table" role="group" aria-label="Table: A b, c" tabindex="0"><table>/)
  for (const code of ['Api<wbr>Key<wbr>Error', 'api_<wbr>key', 'X-RateLimit', 'a&lt;B']) {
    assert.ok(html.includes(`<code>${code}</code>`), code)
  }
})

test('consecutive samples in several languages are one, each language once', () => {
  const fence = (...languages: string[]) => languages.map(language => `\`\`\`${language}\nx\n\`\`\`\n`).join('\n')
  const groups = (markdown: string) =>
    [...parseGuide('one', HEAD + markdown).html.matchAll(/<div class="samples">(.*?)<\/div>/gs)].map(([group]) =>
      [...group.matchAll(/data-language="(\w+)"/g)].map(match => match[1]),
    )
  assert.deepEqual(groups(fence('sh', 'ts', 'python', 'json')), [['sh', 'ts', 'python']])
  assert.deepEqual(groups(fence('sh', 'json', 'ts')), [])
  assert.deepEqual(groups(`${fence('sh', 'ts')}\nText.\n\n${fence('ts', 'python')}`), [
    ['sh', 'ts'],
    ['ts', 'python'],
  ])
  assert.deepEqual(groups(fence('sh', 'ts', 'sh', 'ts')), [
    ['sh', 'ts'],
    ['sh', 'ts'],
  ])
})
