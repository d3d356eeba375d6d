import { UserError } from '../errors.ts'
import {
  DEFAULT_SOURCE,
  MAX_PAUSE_SECONDS,
  parseMaxRemovals,
  parseSourceName,
  type Source,
  type SourceSettings,
} from '../source.ts'
import type { SourceStore } from '../store/sources.ts'
import { type AdminContext, entryOf } from './context.ts'

/** Undefined members do not change; null removes a value. */
export type SourceChange = { [Name in keyof SourceSettings]?: SourceSettings[Name] | null | undefined }

/** @throws UserError when there is a source with this name */
export async function createSource(context: AdminContext, given: string, change: SourceChange): Promise<Source> {
  const name = parseSourceName(given)
  const settings = changed(DEFAULT_SOURCE, change)
  const entry = entryOf(context, 'source.create', { after: { name, ...settings } })
  return context.store.createSource({ name, ...settings }, entry)
}

export async function changeSource(context: AdminContext, name: string, change: SourceChange): Promise<Source> {
  const { id, lastRun: _, syncedAt: __, createdAt: ___, name: own, ...before } = await findSource(context.store, name)
  const after = changed(before, change)
  const entry = entryOf(context, 'source.change', {
    details: { name: own },
    before: { ...before },
    after: { ...after },
  })
  if (!(await context.store.changeSource(id, after, entry))) throw noSource(name)
  return findSource(context.store, name)
}

/** Its animals stay. */
export async function removeSource(context: AdminContext, given: string): Promise<Source> {
  const source = await findSource(context.store, given)
  const entry = entryOf(context, 'source.remove', { details: { name: source.name } })
  if (!(await context.store.removeSource(source.id, entry))) throw noSource(given)
  return source
}

/** @throws UserError when there is none with this name */
export async function findSource(store: Pick<SourceStore, 'listSources'>, name: string): Promise<Source> {
  const [source] = await store.listSources({ name })
  if (!source) throw noSource(name)
  return source
}

function noSource(name: string): UserError {
  return new UserError('not_found', `There is no source "${name}".`)
}

function changed(settings: SourceSettings, change: SourceChange): SourceSettings {
  const given = Object.entries(change).filter(([, value]) => value !== undefined)
  const after: SourceSettings = {
    ...settings,
    ...Object.fromEntries(given.map(([name, value]) => [name, value ?? undefined])),
  }
  const { maxRemovals, pauseSeconds, keyColumn } = after
  if (maxRemovals !== undefined) parseMaxRemovals(maxRemovals)
  if (keyColumn?.trim() === '') throw new UserError('invalid', 'The key column must have a name.', 'keyColumn')
  if (pauseSeconds !== undefined && !(pauseSeconds >= 1 && pauseSeconds <= MAX_PAUSE_SECONDS)) {
    throw new UserError('invalid', 'The pause must be from one second to one year.', 'pauseSeconds')
  }
  return after
}
