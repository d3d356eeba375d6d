import { formatCount } from '../domain/format-number.ts'
import type { Finding } from '../schema/responses/service.ts'
import type { Command } from './command.ts'
import { type JsonOption, print } from './output/print.ts'
import { type Columns, formatList } from './output/table.ts'

export function addDoctorCommand(program: Command): void {
  program
    .newCommand('doctor', 'Check the settings, the store, its servers or disk, and the clocks.')
    .json('print the findings as JSON', HELP)
    .action(async ({ json }: JsonOption) => {
      const findings = await findAll(json)
      const failed = findings.filter(({ outcome }) => outcome === 'fail').length
      if (failed > 0) process.exitCode = 1
      const summary = failed === 0 ? 'No check failed.' : `${formatCount(failed, 'check')} failed: fix that first.`
      print(json, { ok: failed === 0, findings }, formatList(findings, COLUMNS), '', summary)
    })
}

async function findAll(json: true | undefined): Promise<Finding[]> {
  const { examine } = await import('../app/checks/examine.ts')
  const { ConfigError } = await import('../app/setting-values.ts')
  const { loadSettingsFile } = await import('../app/settings-file.ts')
  try {
    loadSettingsFile()
  } catch (error) {
    if (!json || !(error instanceof ConfigError)) throw error
    // Without the settings, it is unknown what else there is to check.
    return [{ check: 'settings', outcome: 'fail', message: error.message }]
  }
  return examine(process.env, Date.now())
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
