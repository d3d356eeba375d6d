import type { Finding } from '../schema/responses/service.ts'
import type { Command } from './command.ts'
import { type JsonOption, print } from './output/print.ts'
import { type Columns, formatList } from './output/table.ts'
import { formatCount } from './output/text.ts'

export function addDoctorCommand(program: Command): void {
  program
    .newCommand('doctor', 'Check the settings, the store, its servers or disk, and the clocks.')
    .json('print the findings as JSON', HELP)
    .action(async ({ json }: JsonOption) => {
      const { examine } = await import('../app/checks/examine.ts')
      const { loadSettingsFile } = await import('../app/settings-file.ts')
      loadSettingsFile()
      const findings = await examine(process.env, Date.now())
      const failed = findings.filter(({ outcome }) => outcome === 'fail').length
      if (failed > 0) process.exitCode = 1
      const summary = failed === 0 ? 'No check failed.' : `${formatCount(failed, 'check')} failed: fix that first.`
      print(json, { ok: failed === 0, findings }, formatList(findings, COLUMNS), '', summary)
    })
}

const COLUMNS: Columns<Finding> = {
  CHECK: one => one.check,
  RESULT: one => one.outcome,
  FINDING: one => one.message,
}

const HELP = `
Changes nothing, and is safe while the service runs. To test the disk and Redis,
it writes and removes a small file and a key of its own. The embedded store is
read in full, which can take a while; PostgreSQL and Redis are checked if they
are configured. The exit code is 1 if any check fails, and 0 if there are only
warnings.

Examples:
  $ petstore doctor
  $ PETSTORE_DATA=/var/lib/petstore petstore doctor --json`
