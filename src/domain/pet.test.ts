import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PET_NAME_PATTERN } from './pet.ts'

const patterns = [new RegExp(PET_NAME_PATTERN), new RegExp(PET_NAME_PATTERN, 'u')]

/** Whether it matches, with the `u` flag and without. */
function matches(text: string): boolean {
  const [plain, unicode] = patterns.map(pattern => pattern.test(text))
  assert.equal(plain, unicode, JSON.stringify(text))
  return plain === true
}

test('a name may have any characters except control characters, and one that is not white space is enough', () => {
  // The pattern names no character above U+FFFF, so a few of those are enough.
  for (let code = 0; code <= 0x10_ffff; code += code < 0x1_0000 ? 1 : 0xff) {
    const character = String.fromCodePoint(code)
    const isControl = /\p{Cc}/u.test(character)
    const isBlank = /\s/u.test(character)
    const answers = [matches(character), matches(`R${character}`), matches(`${character}x`), matches(` ${character} `)]
    const isEnough = !isControl && !isBlank
    if (answers.join() !== [isEnough, !isControl, !isControl, isEnough].join()) {
      assert.fail(`U+${code.toString(16)}: ${answers.join()}`)
    }
  }
})

test('a name must not be empty or blank', () => {
  for (const name of ['', ' ', '   ', '\u00a0', '\u3000\u2003', '\u2028', '\ufeff']) {
    assert.ok(!matches(name), JSON.stringify(name))
  }
  for (const name of [`${' '.repeat(254)}R`, '\u2027', '\u202a', ' Rex ', '\ufeffR', 'é', '\u0301', '🐕‍🦺', '\u200b'])
    assert.ok(matches(name), JSON.stringify(name))
})

test('a name of 65,536 characters is refused with little processor time', () => {
  const before = process.cpuUsage()
  for (const filling of ['x', ' ', '\u3000', ' x', '🐕', '\u2027']) {
    assert.ok(!matches(`${filling.repeat(65_536 / filling.length)}\n`))
  }
  const { user } = process.cpuUsage(before)
  assert.ok(user < 1_000_000, `${user} µs`)
})
