import { invalid } from '../errors.ts'
import {
  DEFAULT_SOURCE,
  noSuchSource,
  parseSourceName,
  type Source,
  type SourceChange,
  type SourceSettings,
} from '../source.ts'
import type { SourceStore } from '../store/sources.ts'
import { parseMeanings } from '../value-meaning.ts'
import { type AdminContext, entryOf } from './context.ts'

/** Undefined ones are the defaults. */
export type GivenSettings = { [Name in keyof SourceSettings]?: SourceSettings[Name] | undefined }

/** @throws UserError when there is a source with this name */
export async function createSource(context: AdminContext, given: string, settings: GivenSettings): Promise<Source> {
  check(settings)
  const wanted = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
  const source = { ...DEFAULT_SOURCE, ...wanted, name: parseSourceName(given) }
  return context.store.createSource(source, entryOf(context, 'source.create', { after: source }))
}

export async function changeSource(context: AdminContext, name: string, change: SourceChange): Promise<Source> {
  const source = await findSource(context.store, name)
  check(change)
  const names = (Object.keys(change) as (keyof SourceSettings)[]).filter(
    member => change[member] !== undefined && change[member] !== (source[member] ?? null),
  )
  if (names.length === 0) return source
  const before = Object.fromEntries(names.map(member => [member, source[member] ?? null]))
  const after = Object.fromEntries(names.map(member => [member, change[member]]))
  const entry = entryOf(context, 'source.change', { details: { name: source.name }, before, after })
  if (!(await context.store.changeSource(source.id, change, entry))) throw noSuchSource(name)
  return findSource(context.store, name)
}

/** Its animals stay. */
export async function removeSource(context: AdminContext, given: string): Promise<Source> {
  const source = await findSource(context.store, given)
  const entry = entryOf(context, 'source.remove', { details: { name: source.name } })
  if (!(await context.store.removeSource(source.id, entry))) throw noSuchSource(given)
  return source
}

/** @throws UserError when there is none with this name */
export async function findSource(store: Pick<SourceStore, 'listSources'>, name: string): Promise<Source> {
  const [source] = await store.listSources({ name })
  if (!source) throw noSuchSource(name)
  return source
}

function check({ keyColumn, meanings }: SourceChange): void {
  parseMeanings(meanings ?? '')
  if (keyColumn?.trim() === '') throw invalid('The key column must have a name.', 'keyColumn')
}
