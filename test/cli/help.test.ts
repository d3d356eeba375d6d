import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from 'commander'
import { SETTINGS, type Setting } from '../../src/app/settings.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { petstore, petstoreInTurn } from '../support/command-line.ts'

test('help fits 80 columns, and shows how each command is used', async () => {
  const commands = walk(await buildProgram(), [])
  assert.ok(commands.length > 30)
  const helps = await textEach(commands.map(({ path }) => [...path, '--help']))
  for (const [index, { path, isGroup }] of commands.entries()) {
    const help = helps[index] ?? ''
    for (const line of help.split('\n')) assert.ok(line.length <= 80, line)
    assert.match(help, new RegExp(`^Usage: petstore ${path.join(' ')}`))
    if (isGroup || path.at(-1) === 'help') continue
    assert.match(help, new RegExp(`^Examples:\\n  \\$ .*petstore ${path.join(' ')}`, 'm'))
    if (!['serve', 'completion'].includes(path.join())) assert.match(help, /--json/)
  }
})

test('the first help names every command, in groups', async () => {
  const { stdout } = await petstore(['--help'])
  for (const { path } of walk(await buildProgram(), [])) {
    if (path.length === 1) assert.match(stdout, new RegExp(`^  ${path[0]} `, 'm'))
  }
  assert.ok((stdout.match(/^\S.*:$/gm) ?? []).length >= 5, stdout)
})

test('examples name the program as it was called', async () => {
  const called = { PETSTORE_COMMAND: './petstore' }
  const { stdout } = await petstore(['--help'], called)
  assert.match(stdout, /^ {2}\$ \.\/petstore serve --demo {2,}try it/m)
  assert.doesNotMatch(stdout, /\$ petstore/)
  const { stdout: serve } = await petstore(['serve', '--help'], called)
  assert.match(serve, /^ {2}\$ PETSTORE_PORT=9000 PETSTORE_DATA=\S+ \.\/petstore serve$/m)
})

test('help shows the same as --help, even for nested commands', async () => {
  const pairs: readonly (readonly [help: string, option: string])[] = [
    ['help', '--help'],
    ['help pet', 'pet --help'],
    ['help pet import', 'pet import --help'],
    ['pet help import', 'pet import --help'],
  ]
  const helps = await textEach(pairs.flat().map(command => command.split(' ')))
  for (const [index, [command]] of pairs.entries()) assert.equal(helps[2 * index], helps[2 * index + 1], command)
})

test('help shows which options are required', async () => {
  const required: readonly (readonly [command: string, option: string])[] = [
    ['account create', '--plan'],
    ['account set-plan', '--plan'],
    ['pet sync', '--source'],
    ['pet add', '--category'],
  ]
  const helps = await textEach(required.map(([command]) => [...command.split(' '), '--help']))
  for (const [index, [, option]] of required.entries()) {
    assert.match(helps[index] ?? '', new RegExp(`^ +${option} .*\\(required\\)$`, 'm'))
  }
})

test('the help of serve explains every setting', async () => {
  const { stdout } = await petstore(['serve', '--help'])
  for (const { name, default: fallback = '', meaning } of Object.values<Setting>(SETTINGS)) {
    assert.ok(stdout.includes(`  ${name}=${fallback}\n`), name)
    assert.ok(stdout.replaceAll(/\s+/g, ' ').includes(meaning), name)
  }
})

async function textEach(commandLines: readonly (readonly string[])[]): Promise<string[]> {
  const endings = await petstoreInTurn(commandLines)
  return endings.map(({ code, stdout, stderr }) => {
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    return stdout
  })
}

interface Path {
  path: readonly string[]
  isGroup: boolean
}

/** The whole tree of commands. */
function walk(command: Command, path: readonly string[]): Path[] {
  const children = command.commands.flatMap(child => walk(child, [...path, child.name()]))
  return [{ path, isGroup: children.length > 0 }, ...children]
}
