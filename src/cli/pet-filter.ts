import { InvalidArgumentError } from 'commander'
import { invalid } from '../domain/errors.ts'
import { type MemberName, PET_STATUSES, type PetStatus } from '../domain/pet.ts'
import { MAX_SELECTED_IDS, type PetFilter } from '../domain/pet-selection.ts'
import { parseSearchText } from '../domain/search-text.ts'
import { parseInteger } from './arguments.ts'
import type { Command } from './command.ts'

export interface PetFilterOptions {
  name?: string
  status?: PetStatus[]
  category?: bigint
  after?: bigint
  before?: bigint
  ids?: bigint[]
}

export interface PetOptions {
  name?: string | undefined
  category?: bigint | undefined
  status?: PetStatus | undefined
}

export function addConditionOptions(command: Command): Command {
  return command
    .option('--name <part>', 'only names that contain this text, ignoring case and accents', parseSearchText)
    .option('--status <statuses>', 'only animals with one of these statuses (comma-separated)', parseStatuses)
    .option('--category <n>', 'only animals of this category', parseInteger)
}

/** For a command that changes all animals that it selects. */
export function addSelectionOptions(command: Command): Command {
  return addConditionOptions(command)
    .option('--after <id>', 'only animals with a higher id', parseInteger)
    .option('--before <id>', 'only animals with a lower id', parseInteger)
    .option('--ids <ids>', `only these animals (comma-separated, up to ${MAX_SELECTED_IDS})`, parseIds)
}

/** @throws UserError unless something is selected, by ids or by conditions */
export function parseSelection(options: PetFilterOptions): PetFilter {
  const { ids } = options
  const conditions = conditionsOf(options)
  const given = Object.values(conditions).filter(value => value !== undefined)
  if (given.length === 0 && !ids) {
    throw invalid(
      'Nothing is selected: add --ids, or one or more of --name, --status, --category, --after and --before.',
    )
  }
  if (given.length > 0 && ids) throw invalid('Select animals by --ids or by conditions, not both.')
  return ids ? { ids } : conditions
}

export function conditionsOf({ name, status, category, after, before }: PetFilterOptions): PetFilter {
  return { name, statuses: status, categoryId: category, afterId: after, beforeId: before }
}

/** The given members, under their names in the API. */
export function membersOf({ name, category, status }: PetOptions): Record<string, unknown> {
  const members: Record<MemberName, unknown> = { name, categoryId: category, status }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

function parseStatuses(text: string): PetStatus[] {
  const statuses = text.split(',').flatMap(word => PET_STATUSES.filter(status => status === word))
  if (statuses.length < text.split(',').length) {
    throw new InvalidArgumentError(`It must be one or more of ${PET_STATUSES.join(', ')}, separated by commas.`)
  }
  return statuses
}

function parseIds(text: string): bigint[] {
  const ids = text.split(',').map(parseInteger)
  if (ids.length > MAX_SELECTED_IDS) throw new InvalidArgumentError(`It must be at most ${MAX_SELECTED_IDS} ids.`)
  return ids
}
