import { withExample } from '../../domain/bad-lines.ts'
import { isLate, nextExpectedAt } from '../../domain/source.ts'
import { formatTime } from '../../domain/time.ts'
import { check } from './check.ts'
import { ok, warn } from './verdict.ts'

/** Whether the files of all sources come, and are taken over. */
export const SOURCE_CHECKS = [
  check('sources', 'sources', (sources, { now }) => {
    const problems = sources.flatMap(source => {
      const { name, lastRun, syncedAt } = source
      if (lastRun?.refusal !== undefined) {
        const refusal = withExample(lastRun.refusal, lastRun.reasons)
        return [warn(`The last file of the source ${name} was refused: ${refusal}`, lastRun.at)]
      }
      if (!isLate(source, now)) return []
      const last = syncedAt[0] === undefined ? 'None has come yet' : `The last one came at ${formatTime(syncedAt[0])}`
      return [warn(`A file of the source ${name} is missing. ${last}.`, nextExpectedAt(source))]
    })
    if (problems.length > 0 || sources.length === 0) return problems
    return ok('No file of a source is late, and no last file was refused.')
  }),
]
