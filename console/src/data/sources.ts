import { call } from '../api/call.ts'
import type { Source, SyncReport } from '../api/schema.ts'
import { pagesOf, valueQuery } from './query.ts'
import { cacheKey } from './query-keys.ts'
import { refresh, type Upkeep, useCreate, useWrite } from './write.ts'

interface NewSource {
  name: string
  missing: string
}

interface SourceFile {
  name: string
  file: File
  isDryRun: boolean
}

export const sourcesQuery = valueQuery(cacheKey('sources', 'all'), '/sources')

export function sourceRunPages(name: string) {
  return pagesOf(cacheKey('sources', 'runs', name), `${pathOf(name)}/runs`)
}

export function useCreateSource() {
  return useCreate(
    async (body: NewSource, { idempotencyKey }) =>
      (await call<Source>('POST', '/sources', { body, idempotencyKey })).value,
    upkeep,
  )
}

export function useRemoveSource() {
  return useWrite(async (name: string) => void (await call('DELETE', pathOf(name))), upkeep)
}

/** Sends the file of a source, to check it or to carry it out. */
export function useSyncSource() {
  return useWrite(async ({ name, file, isDryRun }: SourceFile) => {
    const body = new Blob([file], { type: /\.xlsx$/i.test(file.name) ? WORKBOOK : 'text/csv' })
    const query = { file: file.name, dryRun: isDryRun || undefined, newCategories: true }
    return (await call<SyncReport>('PUT', `${pathOf(name)}/file`, { body, query })).value
  }, upkeep)
}

const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

const upkeep: Upkeep<unknown> = client => refresh(client, 'sources', 'pets', 'categories', 'audit')

function pathOf(name: string): string {
  return `/sources/${name}`
}
