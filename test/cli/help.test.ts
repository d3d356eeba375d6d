import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from 'commander'
import { buildProgram } from '../../src/cli/program.ts'
import { SETTINGS } from '../../src/config.ts'
import { petstore } from '../support/command-line.ts'

test('help fits 80 columns, and shows how each command is used', async () => {
  const commands = walk(buildProgram(), [])
  assert.ok(commands.length > 30)
  await Promise.all(
    commands.map(async ({ path, isGroup }) => {
      const { code, stdout, stderr } = await petstore([...path, '--help'])
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
      for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line)
      assert.match(stdout, new RegExp(`^Usage: petstore ${path.join(' ')}`))
      if (isGroup || path.at(-1) === 'help') return
      assert.match(stdout, new RegExp(`^Examples:\\n  \\$ .*petstore ${path.join(' ')}`, 'm'))
      if (path.join() !== 'serve') assert.match(stdout, /--json/)
    }),
  )
})

test('the first help names every command, in groups', async () => {
  const { stdout } = await petstore(['--help'])
  for (const { path } of walk(buildProgram(), [])) {
    if (path.length === 1) assert.match(stdout, new RegExp(`^  ${path[0]} `, 'm'))
  }
  assert.ok((stdout.match(/^\S.*:$/gm) ?? []).length >= 5, stdout)
})

test('help shows the same as --help, however deep the command stands', async () => {
  const text = async (...args: string[]) => {
    const { code, stdout, stderr } = await petstore(args)
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    return stdout
  }
  assert.equal(await text('help'), await text('--help'))
  assert.equal(await text('help', 'pet'), await text('pet', '--help'))
  assert.equal(await text('help', 'pet', 'import'), await text('pet', 'import', '--help'))
  assert.equal(await text('pet', 'help', 'import'), await text('pet', 'import', '--help'))
})

test('help says which options there must be', async () => {
  const required: readonly (readonly [command: string, option: string])[] = [
    ['account create', '--plan'],
    ['account set-plan', '--plan'],
    ['token create', '--role'],
    ['pet add', '--category'],
  ]
  for (const [command, option] of required) {
    const { stdout } = await petstore([...command.split(' '), '--help'])
    assert.match(stdout, new RegExp(`^ +${option} .*\\(required\\)$`, 'm'))
  }
})

test('the help of serve explains every setting', async () => {
  const { stdout } = await petstore(['serve', '--help'])
  for (const { name, default: fallback, meaning } of Object.values(SETTINGS)) {
    assert.ok(stdout.includes(`  ${name}=${fallback}\n`), name)
    assert.ok(stdout.replaceAll(/\s+/g, ' ').includes(meaning), name)
  }
})

interface Path {
  path: readonly string[]
  isGroup: boolean
}

/** The whole tree of commands. */
function walk(command: Command, path: readonly string[]): Path[] {
  const children = command.commands.flatMap(child => walk(child, [...path, child.name()]))
  return [{ path, isGroup: children.length > 0 }, ...children]
}
