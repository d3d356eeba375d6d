import { ownBuild } from '../app/build.ts'
import { versionsJson } from '../schema/responses/service.ts'
import type { Command } from './command.ts'
import { type JsonOption, print } from './output/print.ts'
import { formatFields } from './output/table.ts'

export function addVersionCommand(program: Command): void {
  program
    .newCommand('version', 'Show the version of Petstore, its commit, its API and its runtime.')
    .json('print the versions as JSON', HELP)
    .action(async ({ json }: JsonOption) => {
      const version = versionsJson(await ownBuild())
      print(
        json,
        version,
        formatFields({
          Petstore: version.version,
          Commit: version.commit ?? 'unknown',
          Built: version.builtAt ?? 'unknown',
          API: version.api,
          Node: version.node,
          Platform: version.platform,
        }),
      )
    })
}

const HELP = `
petstore --version prints the same.

Examples:
  $ petstore version
  $ petstore version --json`
