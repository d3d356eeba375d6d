import { CSV_DELIMITERS, IMPORT_MODES, PET_MEMBERS } from '../domain/pet-files.ts'
import { oneOf } from './operator-schemas.ts'
import { type Static, type TSchema, Type } from './type.ts'

/** The JSON of imports and previews: types and schemas of what the admin API returns. */

const text = (description: string) => Type.String({ description })
const count = (description: string) => Type.Integer({ description, minimum: 0 })
const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const CLOSED = { additionalProperties: false }

export const DelimiterName = oneOf(CSV_DELIMITERS, 'The delimiter of a CSV file.')
export const ImportModeName = oneOf(
  IMPORT_MODES,
  '`add`: each line is a new animal. `update`: each line has the id of an animal and its new values; empty or missing values do not change.',
)

export const BadLineJson = Type.Object(
  {
    line: Type.Integer({ description: 'The line number, starting at 1.', minimum: 1 }),
    reason: text('Why it cannot be imported.'),
    problems: Type.Array(
      Type.Object(
        {
          member: text('The member.'),
          value: nullable(text('Its value, truncated to 100 characters; null if there is none.')),
          reason: text('What is wrong with it.'),
        },
        CLOSED,
      ),
      { description: 'The invalid members; empty if the line is bad for another reason.' },
    ),
  },
  { description: 'A line that cannot be imported.', ...CLOSED },
)

export const BadLineReasonJson = Type.Object(
  {
    reason: text('What is wrong; `…` stands for numbers and names that differ between lines.'),
    count: count('The number of lines. A line with several problems is counted for each of them.'),
    firstLines: Type.Array(Type.Integer({ description: 'A line number.', minimum: 1 }), {
      description: 'The first of these lines.',
    }),
  },
  { description: 'A reason why lines cannot be imported.', ...CLOSED },
)

export const IMPORT_OUTCOMES = ['imported', 'checked', 'refused'] as const

export type ImportReportJson = Static<typeof ImportReportJson>
export const ImportReportJson = Type.Object(
  {
    outcome: oneOf(
      IMPORT_OUTCOMES,
      '`imported`: the import is complete. `checked`: this was a dry run. `refused`: there are bad lines, and nothing was changed.',
    ),
    mode: ImportModeName,
    read: count('Lines with an animal.'),
    imported: count('Animals added; in a dry run, animals that would be added.'),
    firstId: nullable(Type.BigInt({ description: 'The lowest id of the new animals.' })),
    lastId: nullable(Type.BigInt({ description: 'The highest id of the new animals.' })),
    updated: count('Animals corrected; in a dry run, animals that would be corrected.'),
    unchanged: count('Animals that already had the values in their lines.'),
    badLines: count('Lines that cannot be imported.'),
    badLinesOmitted: count('Those of them that `bad` does not list.'),
    reasons: Type.Array(BadLineReasonJson, {
      description: 'Why all of them cannot be imported, the most common reason first.',
    }),
    bad: Type.Array(BadLineJson, {
      description: 'The first 1,000 of these lines. `POST /pets/import/bad-lines` returns all of them.',
    }),
  },
  { description: 'The result of an import.', ...CLOSED },
)

export type RunningImportJson = Static<typeof RunningImportJson>
export const RunningImportJson = Type.Object(
  {
    requestId: text('The `X-Request-Id` of the import.'),
    actor: text('Who started the import.'),
    startedAt: Type.String({ description: 'When it began.', format: 'date-time' }),
    bytes: count('Bytes of the file read so far.'),
    read: count('Lines with an animal so far.'),
    badLines: count('Bad lines so far.'),
    isRead: Type.Boolean({ description: 'Whether the whole file has been read and only the last step remains.' }),
  },
  { description: 'An import in progress.', ...CLOSED },
)

export type CsvPreviewJson = Static<typeof CsvPreviewJson>
export const CsvPreviewJson = Type.Object(
  {
    delimiter: DelimiterName,
    encoding: nullable(
      text('The encoding of the file; null if it must be given: then the first of `guesses` is used here.'),
    ),
    guesses: Type.Array(
      Type.Object(
        {
          encoding: text('The name of an encoding.'),
          lines: Type.Array(text('A line.'), {
            description: 'Up to three lines with characters beyond ASCII, read in this encoding; long ones are cut.',
          }),
        },
        { description: 'An encoding that a file may have.', ...CLOSED },
      ),
      {
        description:
          'If the bytes of the file do not show its encoding: the likely ones, best first, also if `encoding` was given. Otherwise empty.',
      },
    ),
    header: Type.Array(text('A name.'), { description: 'The names in the header.' }),
    columns: Type.Object(
      Object.fromEntries(PET_MEMBERS.map(member => [member, Type.Optional(text(`The column of \`${member}\`.`))])),
      { description: 'The suggested column for each member.', ...CLOSED },
    ),
    rows: Type.Array(Type.Array(text('A value.')), { description: 'The first rows below the header.' }),
  },
  { description: 'The start of a CSV file, as an import would read it.', ...CLOSED },
)
