import { ENCODING_RULE, parseEncoding } from '../domain/encoding.ts'
import { invalid } from '../domain/errors.ts'
import { PET_STATUSES } from '../domain/pet.ts'
import {
  type CsvReading,
  PET_FILE_FORMATS,
  PET_MEMBERS,
  type PetFileFormat,
  type PetMember,
} from '../domain/pet-files.ts'
import { MAX_REMOVALS_PATTERN, MAX_REMOVALS_RULE, parseMaxRemovals } from '../domain/source.ts'
import { MEANING_RULE, parseMeaning, parseMeanings } from '../domain/value-meaning.ts'
import { flag, given } from './fields.ts'
import { NewPet, PetStatus } from './pet-schemas.ts'
import { DelimiterName } from './responses/pet-files.ts'
import { MissingRuleName } from './responses/sources.ts'
import { type Static, type TObject, type TSchema, Type } from './type.ts'

/** An option of files of animals, or of their sources: what the admin API, the command line and their help know about it. */
export interface FileOption<Schema extends TSchema = TSchema> {
  /** Of its query parameter or member; `rule` in it completes the sentence "<name> must be …". */
  readonly schema: Schema
  /** On the command line. */
  readonly flags: string
  readonly help: string
  /** The kinds of files that have it: every table by default. */
  readonly kinds?: readonly PetFileFormat[]
  /**
   * The value for a text on the command line, if it is not the text, a word or a number.
   * @param earlier the value so far, if the option is repeated
   * @throws UserError
   */
  readonly parse?: (text: string, earlier?: unknown) => unknown
}

/** Options by the names of their parameters. */
export type FileOptions = Readonly<Record<string, FileOption>>

const CSV = ['csv'] as const
const WORKBOOK = ['xlsx'] as const
export const TABLE = ['csv', 'xlsx'] as const

/** Of importing any file. */
export const IMPORT_OPTIONS = {
  dryRun: {
    schema: flag('Check everything, but change nothing.'),
    flags: '--dry-run',
    help: 'check everything, change nothing',
    kinds: PET_FILE_FORMATS,
  },
  skipBad: {
    schema: flag(
      'Import the good lines even if others are bad. By default, a single bad line is enough to refuse the file.',
    ),
    flags: '--skip-bad',
    help: 'import the valid lines even if others are invalid',
    kinds: PET_FILE_FORMATS,
  },
} as const satisfies FileOptions

const MEANINGS =
  'What words in the file mean, one on each line: `status:Adopted=sold`, `categoryId:Cats=2`. The meaning of a category is a number or a label. Case and blanks around a word do not matter. The words of statuses and the labels of categories need no meaning.'
const ANY_CASE = PET_STATUSES.map(word => word.replaceAll(/./g, letter => `[${letter}${letter.toUpperCase()}]`))
// The range has the ends of lines, of which patterns must have none: languages read them in ways of their own.
const CONTROL = '\t-\u001f'
const WORD = `.*[^ ${CONTROL}].*`
const MEANING = `( *status *:${WORD}= *(${ANY_CASE.join('|')}) *| *categoryId *:${WORD}=[^=${CONTROL}]*[^= ${CONTROL}][^=${CONTROL}]*| *)`
const MEANINGS_PATTERN = `^${MEANING}([${CONTROL}]${MEANING})*$`

/** How the cells of a table are found. */
const LAYOUT = {
  sheet: {
    schema: given('The sheet of a workbook. Default: the first visible one that is not blank.', 'the name of a sheet'),
    flags: '--sheet <name>',
    help: 'workbook: its sheet, if not the first filled one',
    kinds: WORKBOOK,
  },
  delimiter: {
    schema: DelimiterName,
    flags: '--delimiter <delimiter>',
    help: 'CSV: delimiter, if it is not recognised',
    kinds: CSV,
  },
  encoding: {
    schema: given(
      'The encoding of a CSV file: any label of the WHATWG Encoding Standard, such as `windows-1252`. Needed if the file has no byte order mark and is not valid UTF-8. A byte order mark takes precedence.',
      ENCODING_RULE,
    ),
    flags: '--encoding <encoding>',
    help: 'CSV: encoding, such as windows-1252, if it is not UTF-8',
    kinds: CSV,
    parse: (label: string) => {
      const encoding = parseEncoding(label)
      if (encoding === undefined) throw invalid(`It must be ${ENCODING_RULE}.`)
      return encoding
    },
  },
} as const satisfies FileOptions

const columnOf = (member: string) =>
  given(`The name of the column of \`${member}\`, if it has another name.`, 'the name of a column')

const COLUMN_PARAMETERS = Object.fromEntries(PET_MEMBERS.map(member => [`${member}Column`, columnOf(member)])) as {
  readonly [Member in PetMember as `${Member}Column`]: ReturnType<typeof columnOf>
}

/** All these parameters are one option, which is repeated. Its value has their values. */
const COLUMNS: FileOption = {
  schema: Type.Object(COLUMN_PARAMETERS),
  flags: '--column <member=column>',
  help: 'table: the column of a member; can be repeated',
  parse: (given, earlier) => {
    const at = given.indexOf('=')
    const member = PET_MEMBERS.find(name => name === given.slice(0, at))
    const column = given.slice(at + 1)
    if (member && column !== '') return { ...(earlier as object | undefined), [`${member}Column`]: column }
    throw invalid(`It must be MEMBER=COLUMN; MEMBER must be one of ${PET_MEMBERS.join(', ')}.`)
  },
}

/** What the cells mean. */
const INTERPRETATION = {
  ignoreOtherColumns: {
    schema: flag('Ignore columns that are not members of an animal. By default, a file with such columns is refused.'),
    flags: '--ignore-other-columns',
    help: 'table: ignore columns that match no member',
  },
  meanings: {
    schema: given(MEANINGS, `one ${MEANING_RULE} on each line`, {
      check: parseMeanings,
      described: Type.String({ description: MEANINGS, minLength: 1, pattern: MEANINGS_PATTERN }),
    }),
    flags: '--value <member:word=meaning>',
    help: 'table: what a word means; can be repeated',
    parse: (given: string, earlier?: unknown) => {
      parseMeaning(given)
      const meaning = given.replaceAll(/\s+/g, ' ')
      return earlier === undefined ? meaning : `${earlier}\n${meaning}`
    },
  },
  newCategories: {
    schema: flag('Give unknown words in the column of categories the next free numbers, and label them.'),
    flags: '--new-categories',
    help: 'table: number and label the categories that are unknown words',
  },
  defaultName: {
    schema: Type.String({ ...NewPet.properties.name, description: 'The name of animals that have none in the file.' }),
    flags: '--default-name <name>',
    help: 'table: name of animals without one',
  },
  defaultCategoryId: {
    schema: Type.BigInt({
      ...NewPet.properties.categoryId,
      description: 'The category of animals that have none in the file.',
    }),
    flags: '--default-category <n>',
    help: 'table: categoryId of animals without one',
  },
  defaultStatus: {
    schema: PetStatus,
    flags: '--default-status <status>',
    help: 'table: status of animals without one',
  },
  safeForSpreadsheets: {
    schema: flag('The file was exported with this option.'),
    flags: '--safe-for-spreadsheets',
    help: 'table: the file was exported with this option',
  },
} as const satisfies FileOptions

/** Of reading a table, in the order of the help. */
export const READING_OPTIONS: FileOptions = { ...LAYOUT, columns: COLUMNS, ...INTERPRETATION }

/** The query parameters of a preview, and of an import. */
export const LAYOUT_PARAMETERS = Type.Partial({ ...schemasOf(LAYOUT), ...COLUMN_PARAMETERS })
export const READING_PARAMETERS = { ...LAYOUT_PARAMETERS, ...Type.Partial(schemasOf(INTERPRETATION)) }

/** Of writing a file. */
export const WRITING_OPTIONS = {
  delimiter: { ...LAYOUT.delimiter, help: 'CSV: delimiter' },
  categoryLabels: {
    schema: flag(
      'Add a column `categoryLabel` to CSV. A workbook always has it. An import checks it, and takes it where the number is empty.',
    ),
    flags: '--category-labels',
    help: 'CSV: add a column with the labels of the categories',
    kinds: CSV,
  },
  externalIds: {
    schema: flag(
      'Add the columns `source` and `externalId` to CSV or a workbook: the source that has added the animal, and its id there. An import skips them beside a column `id`.',
    ),
    flags: '--external-ids',
    help: 'CSV, workbook: add columns with the source and its id of each animal',
  },
  safeForSpreadsheets: {
    schema: flag(
      'Write apostrophes into names and labels so that spreadsheets do not read them, or a part of them, as a formula (CSV only). An import with the same option removes them.',
    ),
    flags: '--safe-for-spreadsheets',
    help: 'CSV: prevent names from being read as formulas',
    kinds: CSV,
  },
} as const satisfies FileOptions

/** What makes the animals of a source as in its file. A source keeps them. */
export const SYNC_OPTIONS = {
  keyColumn: {
    schema: given(
      'The column with the ids of the other software, if it does not have a usual name such as `ID` or `animalID`.',
      'the name of a column',
    ),
    flags: '--key <column>',
    help: 'the column with the ids, if it has no usual name',
  },
  missing: {
    schema: MissingRuleName,
    flags: '--missing <rule>',
    help: 'how missing animals are treated',
  },
  maxRemovals: {
    schema: Type.String({
      description:
        'How many animals a file may remove: a number, or a share of the animals that are not sold yet, such as `10%`. Default: 10 %, or 2 animals if that is more, but never all of them.',
      pattern: MAX_REMOVALS_PATTERN,
      rule: MAX_REMOVALS_RULE,
    }),
    flags: '--max-removals <most>',
    help: 'how many a file may remove: a number or a share',
    parse: parseMaxRemovals,
  },
} as const satisfies FileOptions

const { meanings, newCategories } = INTERPRETATION

/** All that a source keeps for its files. */
export const SOURCE_OPTIONS = { ...SYNC_OPTIONS, meanings, newCategories }

export type ReadingValues = Static<TObject<typeof READING_PARAMETERS>>

export function readingOf({ meanings = '', ...values }: ReadingValues): CsvReading {
  return {
    ...values,
    columns: Object.fromEntries(PET_MEMBERS.map(member => [member, values[`${member}Column`]])),
    defaults: { name: values.defaultName, categoryId: values.defaultCategoryId, status: values.defaultStatus },
    meanings: parseMeanings(meanings),
  }
}

export type SchemasOf<Options extends FileOptions> = { readonly [Name in keyof Options]: Options[Name]['schema'] }

export function schemasOf<Options extends FileOptions>(options: Options): SchemasOf<Options> {
  return Object.fromEntries(Object.entries(options).map(([name, { schema }]) => [name, schema])) as SchemasOf<Options>
}
