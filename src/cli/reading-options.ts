import { type Command, Option } from 'commander'
import { UserError } from '../domain/errors.ts'
import type { PetFileFormat } from '../domain/pet-files.ts'
import { READING_OPTIONS, type ReadingOption, type ReadingValues } from '../schema/reading-options.ts'
import { asArgument, parseInteger } from './arguments.ts'

/** By the name that Commander or the admin API gives them. */
type Values = Readonly<Record<string, unknown>>

/** Adds options of reading a table to a command. */
export function addReadingOptions(command: Command, options = READING_OPTIONS): Command {
  for (const option of options) command.addOption(commanderOptionOf(option))
  return command
}

/**
 * The parameters for the options that were typed.
 * @throws UserError if one of them is not for files of this format
 */
export function readTyped(typed: Values, format: PetFileFormat): ReadingValues {
  const values = READING_OPTIONS.map(option => {
    const value = typed[commanderOptionOf(option).attributeName()]
    if (value === undefined) return {}
    ensureFor(format, option)
    return typeof value === 'object' ? value : { [nameOf(option)]: value }
  })
  return Object.assign({}, ...values)
}

function ensureFor(format: PetFileFormat, { flags, kinds }: ReadingOption): void {
  if (kinds.includes(format)) return
  const names = kinds.map(kind => (kind === 'csv' ? 'CSV files' : 'workbooks'))
  throw new UserError('invalid', `${flags.split(' ')[0]} is for ${names.join(' and ')} only.`)
}

function nameOf({ parameters }: ReadingOption): string {
  return Object.keys(parameters)[0] as string
}

function commanderOptionOf(option: ReadingOption): Option {
  const { flags, help, parameters, parse, isList } = option
  const made = new Option(flags, help)
  const name = nameOf(option)
  const { type, enum: words } = parameters[name] as { type?: string; enum?: readonly string[] }
  if (words) return made.choices(words)
  if (type === 'bigint') return made.argParser(parseInteger)
  if (!parse) return made
  const read = asArgument(parse)
  return made.argParser((text, earlier: Values = {}) => {
    const found = read(text)
    if (isList && name in earlier) return { [name]: `${earlier[name]}\n${found[name]}` }
    return { ...earlier, ...found }
  })
}
