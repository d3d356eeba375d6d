import type { Command, Option } from 'commander'
import { fold } from '../../domain/fold.ts'
import { buildProgram } from '../program.ts'
import { type Candidate, valuesOf } from './values.ts'

/**
 * Returns what can be typed next, or `files` where the shell should complete a file name.
 * @param words those after the name of the program, up to the cursor; the last one is being typed, and may be empty
 */
export async function findCandidates(words: readonly string[]): Promise<readonly Candidate[] | 'files'> {
  const [current = ''] = words.slice(-1)
  const before = words.slice(0, -1)
  const program = await buildProgram(before[0])
  const place = before.reduce(stepOver, { ...START, command: program })
  const found = await candidatesAt(place, current)
  return found === 'files' ? found : startingWith(current, found)
}

/** Compares as a search does only if nothing matches exactly. */
function startingWith(typed: string, candidates: readonly Candidate[]): Candidate[] {
  const exact = candidates.filter(({ value }) => value.startsWith(typed))
  const folded = fold(typed)
  return exact.length > 0 ? exact : candidates.filter(({ value }) => fold(value).startsWith(folded))
}

interface Place {
  /** Undefined after an unknown command. */
  command: Command | undefined
  /** Whether `help` was typed: commands follow, but neither options nor arguments. */
  isHelp: boolean
  /** The option whose value comes next. */
  option: Option | undefined
  /** The number of arguments so far. */
  position: number
  /** Whether `--` was typed: no options follow. */
  isLiteral: boolean
  used: readonly Option[]
}

const START = { isHelp: false, option: undefined, position: 0, isLiteral: false, used: [] }

function stepOver(place: Place, word: string): Place {
  const { command, option, isLiteral, used } = place
  if (option) return { ...place, option: undefined }
  if (!isLiteral && word === '--') return { ...place, isLiteral: true }
  if (!isLiteral && /^-./.test(word)) {
    const [flag = '', value] = word.split('=', 2)
    const next = command?.options.find(one => one.long === flag)
    if (!next) return place
    const isNext = value === undefined && (next.required || next.optional)
    return { ...place, used: [...used, next], option: isNext ? next : undefined }
  }
  if (command?.commands.length === 0) return { ...place, position: place.position + 1 }
  if (word === 'help') return { ...place, isHelp: true }
  return { ...place, command: command?.commands.find(one => one.name() === word), used: [] }
}

async function candidatesAt(place: Place, current: string): Promise<readonly Candidate[] | 'files'> {
  const { command, isHelp, option, position, isLiteral, used } = place
  if (!command) return []
  if (option) return withoutDash(await valuesOf(option, command))
  if (command.commands.length > 0 && (isHelp || !current.startsWith('-'))) {
    const shown = isHelp ? command.commands.filter(one => one.name() !== 'help') : command.commands
    return shown.map(one => ({ value: one.name(), description: one.description() }))
  }
  if (isHelp) return []
  if (!isLiteral && current.startsWith('-')) {
    const [, flag] = /^(--[^=]+)=/.exec(current) ?? []
    return flag === undefined ? optionsOf(command, used) : valuesBehind(flag, command)
  }
  const argument = command.registeredArguments[position]
  const values = argument ? await valuesOf(argument, command) : []
  return isLiteral ? values : withoutDash(values)
}

/** The command would read a value such as `--yes` as an option, so its id is offered instead. */
function withoutDash(values: readonly Candidate[] | 'files'): readonly Candidate[] | 'files' {
  if (values === 'files') return values
  return values.flatMap(one => {
    if (!one.value.startsWith('-')) return [one]
    return one.id === undefined ? [] : [{ value: one.id, description: `${one.value}, ${one.description}` }]
  })
}

function optionsOf(command: Command, used: readonly Option[]): Candidate[] {
  const unused = command.options.filter(one => !used.includes(one))
  const known = unused.map(({ long, description }) => ({ value: long ?? '', description }))
  return [...known, { value: '--help', description: 'show its help' }]
}

/** The values of `--option=`. Option and value are one word. */
async function valuesBehind(flag: string, command: Command): Promise<readonly Candidate[]> {
  const option = command.options.find(one => one.long === flag)
  const values = option ? await valuesOf(option, command) : []
  return values === 'files' ? [] : values.map(one => ({ ...one, value: `${flag}=${one.value}` }))
}
