import { Option } from 'commander'
import { invalid } from '../domain/errors.ts'
import type { PetFileFormat } from '../domain/pet-files.ts'
import { type FileOption, type FileOptions, TABLE } from '../schema/file-options.ts'
import { asArgument, parseInteger } from './arguments.ts'
import type { Command } from './command.ts'

export type TypedOptions = Readonly<Record<string, unknown>>

export function addFileOptions(command: Command, options: FileOptions): Command {
  for (const option of Object.values(options)) command.addOption(commanderOptionOf(option))
  return command
}

/**
 * The values of those of the options that were typed, by the names of their parameters.
 * @param format that of the file, if it is known
 * @throws UserError if one of them is not for files of this format
 */
export function readTyped<Values>(typed: TypedOptions, options: FileOptions, format?: PetFileFormat): Values {
  const values = Object.entries(options).map(([name, option]) => {
    const value = typed[commanderOptionOf(option).attributeName()]
    if (value === undefined) return {}
    if (format) ensureFor(format, option)
    return typeof value === 'object' ? value : { [name]: value }
  })
  return Object.assign({}, ...values)
}

function ensureFor(format: PetFileFormat, { flags, kinds = TABLE }: FileOption): void {
  if (kinds.includes(format)) return
  const names = kinds.map(kind => (kind === 'csv' ? 'CSV files' : 'workbooks'))
  throw invalid(`${flags.split(' ')[0]} is for ${names.join(' and ')} only.`)
}

function commanderOptionOf({ flags, help, schema, parse }: FileOption): Option {
  const made = new Option(flags, help)
  const { type, enum: words } = schema as { type?: string; enum?: readonly string[] }
  if (words) return made.choices(words)
  if (type === 'bigint') return made.argParser(parseInteger)
  return parse ? made.argParser<unknown>(asArgument(parse)) : made
}
