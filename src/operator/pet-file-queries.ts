import { ENCODING_RULE, parseEncoding } from '../domain/encoding.ts'
import { type CsvReading, PET_FILE_FORMATS, PET_MEMBERS, type PetMember } from '../domain/pet-files.ts'
import { Refusal } from '../http/refusal.ts'
import { oneOf } from '../schema/fields.ts'
import { NewPet, PetStatus } from '../schema/pet-schemas.ts'
import { DelimiterName, ImportModeName } from '../schema/responses/pet-files.ts'
import { type Static, Type } from '../schema/type.ts'
import { PetConditions } from './request-fields.ts'

/** The queries of imports and exports. `rule` completes the sentence "<name> must be …". */

const flag = (description: string) => Type.Optional(oneOf(['true', 'false'], description))
const column = (member: string) =>
  Type.Optional(
    Type.String({
      description: `The name of the column of \`${member}\`, if it has another name.`,
      minLength: 1,
      rule: 'the name of a column',
    }),
  )

const reading = {
  delimiter: Type.Optional(DelimiterName),
  encoding: Type.Optional(
    Type.String({
      description:
        'The encoding of a CSV file: any label of the WHATWG Encoding Standard, such as `windows-1252`. Needed if the file has no byte order mark and is not valid UTF-8. A byte order mark takes precedence.',
      minLength: 1,
      rule: ENCODING_RULE,
    }),
  ),
  ...(Object.fromEntries(PET_MEMBERS.map(member => [`${member}Column`, column(member)])) as {
    readonly [Member in PetMember as `${Member}Column`]: ReturnType<typeof column>
  }),
}

/** How a CSV file is read, for a preview. */
export const PreviewQuery = Type.Object(reading)

const interpreting = {
  mode: Type.Optional(ImportModeName),
  ...reading,
  ignoreOtherColumns: flag(
    'Ignore columns that are not members of an animal. By default, a file with such columns is refused.',
  ),
  defaultCategoryId: Type.Optional(
    Type.BigInt({
      ...NewPet.properties.categoryId,
      description: 'The category of animals that have none in the file.',
    }),
  ),
  defaultStatus: Type.Optional(PetStatus),
  safeForSpreadsheets: flag('The file was exported with this option.'),
}

/** How a file is read, and what its lines are. */
export const BadLinesQuery = Type.Object(interpreting)

export const ImportQuery = Type.Object({
  dryRun: flag('Check everything, but change nothing.'),
  skipBad: flag(
    'Import the good lines even if others are bad. By default, a single bad line is enough to refuse the file.',
  ),
  file: Type.Optional(
    Type.String({ description: 'The name of the file, for the audit log.', minLength: 1, rule: 'the name of a file' }),
  ),
  ...interpreting,
})

export const ExportQuery = Type.Object({
  format: Type.Optional(
    oneOf(PET_FILE_FORMATS, 'The format of the file. Default: `ndjson`, or `csv` if you send a CSV option.'),
  ),
  ...PetConditions,
  delimiter: Type.Optional(DelimiterName),
  safeForSpreadsheets: flag(
    'Write apostrophes into names so that spreadsheets do not read them, or a part of them, as a formula (CSV only). An import with the same option removes them.',
  ),
})

/** @throws Refusal unsupported_media_type */
export function parseReading(query: Static<typeof ImportQuery>, charset: string | undefined): CsvReading {
  return {
    delimiter: query.delimiter,
    encoding: encodingOf(query.encoding, charset),
    columns: Object.fromEntries(PET_MEMBERS.map(member => [member, query[`${member}Column`]])),
    ignoreOtherColumns: query.ignoreOtherColumns === 'true',
    defaults: { categoryId: query.defaultCategoryId, status: query.defaultStatus },
    safeForSpreadsheets: query.safeForSpreadsheets === 'true',
  }
}

/** These leave the encoding open: only the file shows the byte order of UTF-16, and senders of UTF-8 name ASCII by mistake. */
const OPEN_CHARSETS = ['utf-16', 'us-ascii', 'ascii']

function encodingOf(given: string | undefined, charset: string | undefined): string | undefined {
  const label = given ?? (OPEN_CHARSETS.includes(charset ?? '') ? undefined : charset)
  if (label === undefined) return undefined
  const encoding = parseEncoding(label)
  if (encoding !== undefined) return encoding
  throw new Refusal('unsupported_media_type', `The encoding of a file must be ${ENCODING_RULE}.`)
}
