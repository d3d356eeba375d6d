import { type CsvEncoding, type CsvReading, PET_FILE_FORMATS } from '../domain/pet-files.ts'
import { Refusal } from '../http/refusal.ts'
import { oneOf } from '../schema/operator-schemas.ts'
import { DelimiterName, EncodingName, ImportModeName } from '../schema/pet-file-schemas.ts'
import { NewPet, PetStatus } from '../schema/pet-schemas.ts'
import { type Static, Type } from '../schema/type.ts'
import { PetTotalsSearch } from './request-schemas.ts'

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
  encoding: Type.Optional(EncodingName),
  idColumn: column('id'),
  nameColumn: column('name'),
  categoryIdColumn: column('categoryId'),
  statusColumn: column('status'),
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
  ...PetTotalsSearch.properties,
  delimiter: Type.Optional(DelimiterName),
  safeForSpreadsheets: flag(
    'Write apostrophes into names so that spreadsheets do not read them, or a part of them, as a formula (CSV only). An import with the same option removes them.',
  ),
})

/** Encodings by their names in media types. */
const CHARSETS: Readonly<Record<string, CsvEncoding>> = {
  'utf-8': 'utf-8',
  'us-ascii': 'utf-8',
  'iso-8859-1': 'windows-1252',
  'windows-1252': 'windows-1252',
  'utf-16le': 'utf-16le',
  'utf-16be': 'utf-16be',
}

/** @throws Refusal unsupported_media_type */
export function parseReading(query: Static<typeof ImportQuery>, charset: string | undefined): CsvReading {
  const { idColumn, nameColumn, categoryIdColumn, statusColumn } = query
  return {
    delimiter: query.delimiter,
    encoding: query.encoding ?? encodingOf(charset),
    columns: { id: idColumn, name: nameColumn, categoryId: categoryIdColumn, status: statusColumn },
    ignoreOtherColumns: query.ignoreOtherColumns === 'true',
    defaults: { categoryId: query.defaultCategoryId, status: query.defaultStatus },
    safeForSpreadsheets: query.safeForSpreadsheets === 'true',
  }
}

function encodingOf(charset: string | undefined): CsvEncoding | undefined {
  // Only a byte order mark can show the byte order.
  if (charset === undefined || charset === 'utf-16') return undefined
  const encoding = Object.hasOwn(CHARSETS, charset) ? CHARSETS[charset] : undefined
  if (encoding) return encoding
  const known = Object.keys(CHARSETS).join(', ')
  throw new Refusal('unsupported_media_type', `The charset of a file must be one of ${known}, utf-16.`)
}
