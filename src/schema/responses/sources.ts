import type { ImportOptions, ImportReport } from '../../domain/pet-files.ts'
import { syncCounts } from '../../domain/pet-transfer.ts'
import {
  expectedPauseMs,
  isLate,
  MISSING_RULES,
  nextExpectedAt,
  type Source,
  type SourceRun,
} from '../../domain/source.ts'
import { count, id, named, nullable, oneOf, text, time } from '../fields.ts'
import { Type } from '../type.ts'
import { writeJson } from '../write-json.ts'
import { findingsOf, ImportReportJson } from './pet-files.ts'

export const MissingRuleName = oneOf(
  MISSING_RULES,
  'What happens to animals that are missing from the file: they become `sold`, they are deleted, or they stay as they are.',
)

const counts = {
  read: count('Lines with an animal.'),
  added: count('Animals added.'),
  corrected: count('Animals corrected.'),
  returned: count('Animals that were missing, and are in the file again.'),
  removed: count('Animals that became sold or were deleted, because they are missing.'),
  unchanged: count('Animals that already had the values in their lines.'),
  leftOut: count('Lines that cannot be imported.'),
}

const { reasons, badLinesOmitted, unknownValues, newCategories, bad } = ImportReportJson.properties

export const SourceRunJson = named('SourceRun', 'A file of a source.', {
  id: id('Identifier of the run; later runs have higher ids.'),
  at: time('When the file was taken over or refused.'),
  actor: text('Who sent it.'),
  tokenId: nullable(id('The operator token that was used; null on the command line.')),
  file: text('The name of the file.'),
  outcome: oneOf(['synced', 'refused'], '`refused`: nothing was changed.'),
  refusal: nullable(text('Why the file was refused; null if it was not.')),
  ...counts,
  entryId: nullable(id('Its entry in the audit log, which can be undone; null if no animal was changed.')),
  reasons,
})

export const SourceJson = named('Source', 'A file that other software writes again and again, with all its animals.', {
  id: id('Identifier of the source, as in the audit log.'),
  name: text('Its name.'),
  keyColumn: nullable(text('The column with the ids of the other software; null if it is found by its usual names.')),
  missing: MissingRuleName,
  maxRemovals: nullable(
    text('How many animals a file may remove: a number or a share such as `10%`; null for the default.'),
  ),
  pauseSeconds: nullable(
    Type.Integer({ description: 'How long after a file the next one is expected, if it is set.', minimum: 1 }),
  ),
  meanings: nullable(
    text('What words in its files mean, one on each line, such as `status:Foster=pending`; null if there are none.'),
  ),
  newCategories: Type.Boolean({
    description: 'Whether unknown words in the column of categories get the next free numbers, and become labels.',
  }),
  expectedPauseSeconds: nullable(
    count('The same, if it is set or was learned from the last files; null as long as it is not known.'),
  ),
  nextExpectedAt: nullable(time('When the next file is expected; null as long as it is not known.')),
  isLate: Type.Boolean({ description: 'Whether twice the usual pause has passed without a file.' }),
  createdAt: time('When the source was created.'),
  lastRun: nullable(SourceRunJson),
})

export const SyncReportJson = named('SyncReport', 'The result of a file of a source.', {
  outcome: oneOf(
    ['synced', 'checked', 'refused'],
    '`synced`: the animals are as in the file. `checked`: this was a dry run. `refused`: the same, of a file that would be refused.',
  ),
  refusal: nullable(text('Why the file would be refused; null if it would not.')),
  ...counts,
  entryId: nullable(id('The entry in the audit log, which can be undone; null if no animal was changed.')),
  badLinesOmitted,
  reasons,
  unknownValues,
  newCategories,
  bad,
})

export function sourceRunJson({ auditId, ...run }: SourceRun) {
  const outcome = run.refusal === undefined ? 'synced' : 'refused'
  return writeJson(SourceRunJson, { ...run, outcome, entryId: auditId })
}

export function sourceJson(source: Source, now: number) {
  const { syncedAt: _, lastRun, ...settings } = source
  const pauseMs = expectedPauseMs(source)
  return {
    ...writeJson(SourceJson, {
      ...settings,
      expectedPauseSeconds: pauseMs === undefined ? undefined : Math.round(pauseMs / 1_000),
      nextExpectedAt: nextExpectedAt(source),
      isLate: isLate(source, now),
      lastRun: undefined,
    }),
    lastRun: lastRun === undefined ? null : sourceRunJson(lastRun),
  }
}

export function syncReportJson(report: ImportReport, { dryRun }: Pick<ImportOptions, 'dryRun'>) {
  const { refusal, entryId } = report
  const outcome = refusal !== undefined ? 'refused' : dryRun ? 'checked' : 'synced'
  return writeJson(SyncReportJson, { outcome, refusal, entryId, ...syncCounts(report, report), ...findingsOf(report) })
}
