import { ENCODING_RULE, parseEncoding } from '../domain/encoding.ts'
import { UserError } from '../domain/errors.ts'
import { PET_STATUSES } from '../domain/pet.ts'
import { type CsvReading, PET_MEMBERS, type PetFileFormat, type PetMember } from '../domain/pet-files.ts'
import { MEANING_RULE, parseMeaning, parseMeanings } from '../domain/value-meaning.ts'
import { NewPet, PetStatus } from './pet-schemas.ts'
import { DelimiterName } from './responses/pet-files.ts'
import { type Static, type TObject, type TProperties, Type } from './type.ts'

/**
 * An option of reading a table: what the admin API, the command line and their help know about it. `parameters` are its query parameters; `rule`
 * in them completes the sentence "<name> must be …".
 */
export interface ReadingOption {
  readonly parameters: TProperties
  /** On the command line. */
  readonly flags: string
  readonly help: string
  /** The kinds of files that have it. */
  readonly kinds: readonly PetFileFormat[]
  /**
   * The parameters for a text on the command line, if it is not the value of the only one.
   * @throws UserError
   */
  readonly parse?: (text: string) => Readonly<Record<string, string>>
  /** The texts of a repeated option are joined, one on each line. */
  readonly isList?: true
}

const CSV = ['csv'] as const
const WORKBOOK = ['xlsx'] as const
const TABLE = ['csv', 'xlsx'] as const

const flag = (description: string) => Type.Optional(Type.Boolean({ description, rule: 'true or false' }))
const text = (description: string, rule: string, more: object = {}) =>
  Type.Optional(Type.String({ description, minLength: 1, rule, ...more }))

const columnOf = (member: string) =>
  text(`The name of the column of \`${member}\`, if it has another name.`, 'the name of a column')

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
    parameters: {
      sheet: text('The sheet of a workbook. Default: the first visible one.', 'the name of a sheet'),
    },
    flags: '--sheet <name>',
    help: 'workbook: its sheet, if not the first visible one',
    kinds: WORKBOOK,
  },
  delimiter: {
    parameters: { delimiter: Type.Optional(DelimiterName) },
    flags: '--delimiter <delimiter>',
    help: 'CSV: delimiter, if it is not recognised',
    kinds: CSV,
  },
  encoding: {
    parameters: {
      encoding: text(
        'The encoding of a CSV file: any label of the WHATWG Encoding Standard, such as `windows-1252`. Needed if the file has no byte order mark and is not valid UTF-8. A byte order mark takes precedence.',
        ENCODING_RULE,
      ),
    },
    flags: '--encoding <encoding>',
    help: 'CSV: encoding, such as windows-1252, if it is not UTF-8',
    kinds: CSV,
    parse: (label: string) => {
      const encoding = parseEncoding(label)
      if (encoding === undefined) throw new UserError('invalid', `It must be ${ENCODING_RULE}.`)
      return { encoding }
    },
  },
  columns: {
    parameters: Object.fromEntries(PET_MEMBERS.map(member => [`${member}Column`, columnOf(member)])) as {
      readonly [Member in PetMember as `${Member}Column`]: ReturnType<typeof columnOf>
    },
    flags: '--column <member=column>',
    help: 'table: the column of a member; can be repeated',
    kinds: TABLE,
    parse: (given: string) => {
      const at = given.indexOf('=')
      const member = PET_MEMBERS.find(name => name === given.slice(0, at))
      const column = given.slice(at + 1)
      if (member && column !== '') return { [`${member}Column`]: column }
      throw new UserError('invalid', `It must be MEMBER=COLUMN; MEMBER must be one of ${PET_MEMBERS.join(', ')}.`)
    },
  },
} as const satisfies Readonly<Record<string, ReadingOption>>

/** What the cells mean. */
const INTERPRETATION = {
  ignoreOtherColumns: {
    parameters: {
      ignoreOtherColumns: flag(
        'Ignore columns that are not members of an animal. By default, a file with such columns is refused.',
      ),
    },
    flags: '--ignore-other-columns',
    help: 'table: ignore columns that match no member',
    kinds: TABLE,
  },
  meanings: {
    parameters: {
      meanings: text(MEANINGS, `one ${MEANING_RULE} on each line`, {
        check: parseMeanings,
        described: Type.String({ description: MEANINGS, minLength: 1, pattern: MEANINGS_PATTERN }),
      }),
    },
    flags: '--value <member:word=meaning>',
    help: 'table: what a word means; can be repeated',
    kinds: TABLE,
    parse: (given: string) => {
      parseMeaning(given)
      return { meanings: given.replaceAll(/\s+/g, ' ') }
    },
    isList: true,
  },
  newCategories: {
    parameters: {
      newCategories: flag('Give unknown words in the column of categories the next free numbers, and label them.'),
    },
    flags: '--new-categories',
    help: 'table: number and label the categories that are unknown words',
    kinds: TABLE,
  },
  defaultName: {
    parameters: {
      defaultName: Type.Optional(
        Type.String({ ...NewPet.properties.name, description: 'The name of animals that have none in the file.' }),
      ),
    },
    flags: '--default-name <name>',
    help: 'table: name of animals without one',
    kinds: TABLE,
  },
  defaultCategoryId: {
    parameters: {
      defaultCategoryId: Type.Optional(
        Type.BigInt({
          ...NewPet.properties.categoryId,
          description: 'The category of animals that have none in the file.',
        }),
      ),
    },
    flags: '--default-category <n>',
    help: 'table: categoryId of animals without one',
    kinds: TABLE,
  },
  defaultStatus: {
    parameters: { defaultStatus: Type.Optional(PetStatus) },
    flags: '--default-status <status>',
    help: 'table: status of animals without one',
    kinds: TABLE,
  },
  safeForSpreadsheets: {
    parameters: { safeForSpreadsheets: flag('The file was exported with this option.') },
    flags: '--safe-for-spreadsheets',
    help: 'table: the file was exported with this option',
    kinds: TABLE,
  },
} as const satisfies Readonly<Record<string, ReadingOption>>

/** In the order of the help. */
export const READING_OPTIONS: readonly ReadingOption[] = Object.values({ ...LAYOUT, ...INTERPRETATION })

/** Those that a source keeps for its files. */
export const SOURCE_OPTIONS: readonly ReadingOption[] = [INTERPRETATION.meanings, INTERPRETATION.newCategories]

/** The query parameters of a preview, and of an import. */
export const LAYOUT_PARAMETERS = parametersOf(LAYOUT)
export const READING_PARAMETERS = { ...LAYOUT_PARAMETERS, ...parametersOf(INTERPRETATION) }

export type ReadingValues = Static<TObject<typeof READING_PARAMETERS>>

export function readingOf({ meanings = '', ...values }: ReadingValues): CsvReading {
  return {
    ...values,
    columns: Object.fromEntries(PET_MEMBERS.map(member => [member, values[`${member}Column`]])),
    defaults: { name: values.defaultName, categoryId: values.defaultCategoryId, status: values.defaultStatus },
    meanings: parseMeanings(meanings),
  }
}

type ParametersOf<Options extends Readonly<Record<string, ReadingOption>>> = Intersection<
  Options[keyof Options]['parameters']
>

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? { readonly [Name in keyof All]: All[Name] }
  : never

function parametersOf<Options extends Readonly<Record<string, ReadingOption>>>(options: Options) {
  return Object.assign({}, ...Object.values(options).map(({ parameters }) => parameters)) as ParametersOf<Options>
}
