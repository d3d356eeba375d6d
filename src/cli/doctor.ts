import type { Command } from 'commander'
import { printJson } from './json.ts'
import { printTable, printText } from './text.ts'

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('Check the settings, the store, what it stands on, and the clocks.')
    .option('--json', 'print what was found as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async ({ json }: { json?: true }) => {
      const { examine } = await import('../doctor/doctor.ts')
      const findings = await examine(process.env, Date.now())
      const failed = findings.filter(({ outcome }) => outcome === 'fail').length
      if (failed > 0) process.exitCode = 1
      if (json) return printJson({ ok: failed === 0, findings })
      printTable(
        ['CHECK', 'RESULT', 'WHAT WAS FOUND'],
        findings.map(({ check, outcome, message }) => [check, outcome, message]),
      )
      printText('', summarise(failed))
    })
}

function summarise(failed: number): string {
  if (failed === 0) return 'No check has failed.'
  return `${failed} ${failed === 1 ? 'check has' : 'checks have'} failed: mend that first.`
}

const EXAMPLES = `
Changes nothing, and works beside a running service; to find out whether the
disk can be written, it writes a small file and removes it. The exit code is 1
if any check fails; a warning alone leaves it 0. The whole embedded store is
read: a large one takes a while. PostgreSQL and Redis are asked where they are
set.

Examples:
  $ petstore doctor
  $ PETSTORE_DATA=/var/lib/petstore petstore doctor --json`
