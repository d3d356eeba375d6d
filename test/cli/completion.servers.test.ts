import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createAccount } from '../../src/domain/administration/accounts.ts'
import { issueKey } from '../../src/domain/administration/keys.ts'
import { makeStore } from '../support/command-line.ts'
import { needs } from '../support/servers/needs.ts'
import { startShell } from '../support/servers/shell.ts'

// In the real shells: the text typed up to a tab, and the arguments that the program then gets.

const ODD_NAME = `We're: 5* "best" $HOME`

const LINES: readonly (readonly [typed: string, args: readonly string[]])[] = [
  ['petstore acc\tli\t', ['account', 'list']],
  ['petstore key create Cor\t', ['key', 'create', 'Corner Shop']],
  ['petstore key create "Corner S\t', ['key', 'create', 'Corner Shop']],
  ["petstore key create 'Corner S\t", ['key', 'create', 'Corner Shop']],
  ['petstore key create Corner\\ S\t', ['key', 'create', 'Corner Shop']],
  ['petstore usage We\t', ['usage', ODD_NAME]],
  ['petstore usage "Hey\t', ['usage', 'Hey! You']],
  ['petstore account create x --pl\tb\t', ['account', 'create', 'x', '--plan', 'business']],
  ['petstore account create x --plan=b\t', ['account', 'create', 'x', '--plan=business']],
  ['petstore key revoke \t', ['key', 'revoke', '1']],
  ['petstore help key rot\t', ['help', 'key', 'rotate']],
  ['petstore pet import anim\t', ['pet', 'import', 'animals.csv']],
  ['./petstore token cr\t', ['token', 'create']],
]

const SHELLS = [
  ['bash', 'bash', 'source <(petstore completion bash)'],
  [
    'bash with the package bash-completion',
    'bash',
    'source /usr/share/bash-completion/bash_completion; source <(petstore completion bash)',
  ],
  ['zsh', 'zsh', 'source <(petstore completion zsh)'],
  ['fish', 'fish', 'petstore completion fish | source'],
] as const

for (const [title, name, setUp] of SHELLS) {
  test(`${title} completes commands, options, names and files`, async t => {
    if (!needs(t, 'script') || !needs(t, name)) return
    const store = await makeStore(t)
    await store.act(async context => {
      for (const account of ['Corner Shop', 'acme', ODD_NAME, 'Hey! You']) {
        await createAccount(context, { name: account, plan: 'free', limits: {} })
      }
      await issueKey(context, { account: 'acme' })
    })
    await writeFile(join(store.folder, 'animals.csv'), '')
    const shell = await startShell(t, name, store, setUp)
    for (const [typed, args] of LINES) assert.deepEqual(await shell.type(typed), args, typed)
    // Ctrl-U discards the line.
    await shell.type('petstore key create "$(touch ran)" \t\u0015petstore version')
    assert.ok(!existsSync(join(store.folder, 'ran')), 'nothing that is being typed is run')
  })
}
