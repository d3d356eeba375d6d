import {
  CSV_DELIMITERS,
  IMPORT_MODES,
  type ImportOptions,
  type ImportReport,
  PET_MEMBERS,
} from '../../domain/pet-files.ts'
import { count, id, named, nullable, object, oneOf, text, time } from '../fields.ts'
import { Type } from '../type.ts'
import { writeJson, writerOf } from '../write-json.ts'
import { ENTRY_OF_ACTION } from './audit.ts'

export const DelimiterName = oneOf(CSV_DELIMITERS, 'The delimiter of a CSV file.')
export const ImportModeName = oneOf(
  IMPORT_MODES,
  '`add`: each line is a new animal. `update`: each line has the id of an animal and its new values; empty or missing values do not change.',
)

const lineNumber = (description: string) => Type.Integer({ description, minimum: 1 })

const BadLineJson = named('BadLine', 'A line that cannot be imported.', {
  line: lineNumber('The line number, starting at 1.'),
  reason: text('Why it cannot be imported.'),
  problems: Type.Array(
    Type.Object(
      {
        member: text('The member.'),
        value: nullable(text('Its value, truncated to 100 characters; null if there is none.')),
        reason: text('What is wrong with it.'),
      },
      { additionalProperties: false },
    ),
    { description: 'The invalid members; empty if the line is bad for another reason.' },
  ),
})

const BadLineReasonJson = named('BadLineReason', 'A reason why lines cannot be imported.', {
  reason: text('What is wrong; `…` stands for numbers and names that differ between lines.'),
  count: count('The number of lines. A line with several problems is counted for each of them.'),
  firstLines: Type.Array(lineNumber('A line number.'), { description: 'The first of these lines.' }),
})

const UnknownValueJson = named('UnknownValue', 'A word in the column of a member whose meaning is not known.', {
  member: text('The member.'),
  value: text('The word, as the first line has it. Case and blanks around it do not matter.'),
  count: count('The number of lines.'),
  firstLines: Type.Array(lineNumber('A line number.'), { description: 'The first of these lines.' }),
})

const NewCategoryJson = object('A category that has been labelled.', {
  id: id('Its number.'),
  label: text('Its label.'),
})

export const ImportReportJson = named('ImportReport', 'The result of an import.', {
  outcome: oneOf(
    ['imported', 'checked', 'refused'],
    '`imported`: the import is complete. `checked`: this was a dry run. `refused`: there are bad lines, and nothing was changed.',
  ),
  mode: ImportModeName,
  read: count('Lines with an animal.'),
  imported: count('Animals added; in a dry run, animals that would be added.'),
  firstId: nullable(id('The lowest id of the new animals.')),
  lastId: nullable(id('The highest id of the new animals.')),
  entryId: nullable(id(ENTRY_OF_ACTION)),
  updated: count('Animals corrected; in a dry run, animals that would be corrected.'),
  unchanged: count('Animals that already had the values in their lines.'),
  badLines: count('Lines that cannot be imported.'),
  badLinesOmitted: count('Those of them that `bad` does not list.'),
  reasons: Type.Array(BadLineReasonJson, {
    description: 'Why all of them cannot be imported, the most common reason first.',
  }),
  unknownValues: Type.Array(UnknownValueJson, {
    description:
      'Words that need a meaning before their lines can be imported, the most frequent first; up to 1,000. Give them with `meanings`.',
  }),
  newCategories: Type.Array(NewCategoryJson, {
    description: 'Categories that were labelled, or would be in a dry run, with `newCategories`.',
  }),
  bad: Type.Array(BadLineJson, {
    description: 'The first 1,000 of these lines. `POST /pets/import/bad-lines` returns all of them.',
  }),
})

export const RunningImportJson = named('RunningImport', 'An import in progress.', {
  requestId: text('The `X-Request-Id` of the import.'),
  actor: text('Who started the import.'),
  startedAt: time('When it began.'),
  bytes: count('Bytes of the file read so far.'),
  read: count('Lines with an animal so far.'),
  badLines: count('Bad lines so far.'),
  isRead: Type.Boolean({ description: 'Whether the whole file has been read and only the last step remains.' }),
})
export const runningImportJson = writerOf(RunningImportJson)

export const CsvPreviewJson = named(
  'CsvPreview',
  'The start of a CSV file or a workbook, as an import would read it.',
  {
    delimiter: nullable(oneOf(CSV_DELIMITERS, 'The delimiter of a CSV file; null for a workbook.')),
    sheets: Type.Array(text('A name.'), { description: 'The visible sheets of a workbook; none for a CSV file.' }),
    encoding: nullable(
      text('The encoding of the file; null if it must be given: then the first of `guesses` is used here.'),
    ),
    guesses: Type.Array(
      object('An encoding that a file may have.', {
        encoding: text('The name of an encoding.'),
        lines: Type.Array(text('A line.'), {
          description: 'Up to three lines with characters beyond ASCII, read in this encoding; long ones are cut.',
        }),
      }),
      {
        description:
          'If the bytes of the file do not show its encoding: the likely ones, best first, also if `encoding` was given. Otherwise empty.',
      },
    ),
    header: Type.Array(text('A name.'), { description: 'The names in the header.' }),
    columns: object(
      'The suggested column for each member.',
      Object.fromEntries(PET_MEMBERS.map(member => [member, Type.Optional(text(`The column of \`${member}\`.`))])),
    ),
    rows: Type.Array(Type.Array(text('A value.')), { description: 'The first rows below the header.' }),
  },
)
export const csvPreviewJson = writerOf(CsvPreviewJson)

export function importReportJson(
  report: ImportReport,
  { mode, dryRun, skipBad }: Pick<ImportOptions, 'mode' | 'dryRun' | 'skipBad'>,
) {
  const { read, imported, firstId, lastId, entryId, updated, unchanged, badLines } = report
  const outcome = badLines > 0 && !skipBad ? 'refused' : dryRun ? 'checked' : 'imported'
  const done = { outcome, mode, read, imported, firstId, lastId, entryId, updated, unchanged, badLines } as const
  return writeJson(ImportReportJson, { ...done, ...findingsOf(report) })
}

/** What an import and a sync both say about the lines of a file. */
export function findingsOf({ badLines, bad, reasons, unknownValues, newCategories }: ImportReport) {
  return {
    badLinesOmitted: badLines - bad.length,
    bad: bad.map(({ line, reason, problems = [] }) => ({ line, reason, problems })),
    reasons,
    unknownValues,
    newCategories,
  }
}
