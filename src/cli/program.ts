import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { addAccountCreate } from './account-create.ts'
import { addAccountList } from './account-list.ts'
import { addAccountSetPlan } from './account-set-plan.ts'
import { addBanLift } from './ban-lift.ts'
import { addBanList } from './ban-list.ts'
import { explain } from './explain.ts'
import { addKeyCreate } from './key-create.ts'
import { addKeyList } from './key-list.ts'
import { addKeyRevoke } from './key-revoke.ts'
import { addKeyRotate } from './key-rotate.ts'
import { addServe } from './serve.ts'

const HELP_WIDTH = 80

/** Runs one command line. A mistake ends as lines on standard error and exit code 1. */
export async function run(argv: readonly string[]): Promise<void> {
  process.stdout.on('error', failUnlessReaderLeft)
  try {
    await buildProgram().parseAsync(argv)
  } catch (error) {
    process.exitCode = 1
    process.stderr.write(explain(error))
  }
}

/** Whoever reads the output through a pipe may leave before its end. */
function failUnlessReaderLeft(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') process.exitCode = 1
}

function buildProgram(): Command {
  const program = new Command('petstore')
    .description('Serves the pet store, and manages its accounts, API keys and bans.')
    .version(manifest.version, '--version', 'print the version')
    .configureHelp({ helpWidth: HELP_WIDTH })
    .addHelpText('after', EXAMPLES)
  addServe(program)

  const account = program.command('account').description('Accounts: who calls, and how often they may.')
  addAccountCreate(account)
  addAccountList(account)
  addAccountSetPlan(account)

  const key = program.command('key').description('API keys: what an account calls with.')
  addKeyCreate(key)
  addKeyList(key)
  addKeyRotate(key)
  addKeyRevoke(key)

  const ban = program.command('ban').description('Bans of keys that went on calling when told to wait.')
  addBanList(ban)
  addBanLift(ban)

  hintAtHelp(program)
  return program
}

const EXAMPLES = `
Start here:
  $ petstore serve --demo                       try it with animals and a key
  $ petstore account create acme --plan pro     an account,
  $ petstore key create acme --name laptop      a key for it,
  $ petstore serve                              and the service

Every command works on the store in the folder PETSTORE_DATA (./data), also
while the service runs; what it changes holds from the next call on.
All settings: petstore serve --help`

/** A command line that makes no sense is told in one line, which says where to read on. */
function hintAtHelp(command: Command, path = command.name()): void {
  command.configureOutput({
    outputError: (text, write) =>
      write(`${text.trim().replaceAll('\n', ' ').replace(/\.$/, '')}; see "${path} --help".\n`),
  })
  for (const child of command.commands) hintAtHelp(child, `${path} ${child.name()}`)
}
