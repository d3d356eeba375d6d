import { CONSOLE_URL, call, fetchValue } from '../api/call.ts'
import type { Source, SourceRun, SyncReport } from '../api/schema.ts'
import { pagesOf, valueQuery } from './query.ts'
import { refresh, refreshAnimals, useCreate, useWrite } from './write.ts'

export type NewSource = Pick<Source, 'name' | 'missing'>

/** Null is the default. */
type SourceChange = Partial<
  Pick<Source, 'missing' | 'maxRemovals' | 'keyColumn' | 'pauseSeconds' | 'meanings' | 'newCategories'>
>

interface SourceFile {
  name: string
  file: File
  isDryRun: boolean
}

export const sourcesQuery = valueQuery<Source[]>('/sources')

export function sourceRunPages(name: string) {
  return pagesOf<SourceRun>(`${pathOf(name)}/runs`)
}

export function useCreateSource() {
  return useCreate<Source, NewSource>(
    body => ['/sources', body],
    (client, created) => {
      // It is opened before the list is read again, which may already have it.
      client.setQueryData(
        sourcesQuery.queryKey,
        rows => created && rows && [...rows.filter(({ id }) => id !== created.id), created],
      )
      refreshAnimals(client)
    },
  )
}

export function useChangeSource(name: string) {
  return useWrite((body: SourceChange) => call('PATCH', pathOf(name), { body }), refreshAnimals)
}

export function useRemoveSource() {
  return useWrite(
    (name: string) => call('DELETE', pathOf(name)),
    client => {
      // Its files may still be on screen, and can no longer be fetched.
      void client.invalidateQueries({ queryKey: sourcesQuery.queryKey })
      refresh(client, ['audit', 'pets'])
    },
  )
}

/** Sends the file of a source, to check it or to carry it out. */
export function useSyncSource() {
  return useWrite(({ name, file, isDryRun }: SourceFile) => {
    const body = new Blob([file], { type: /\.xlsx$/i.test(file.name) ? WORKBOOK : 'text/csv' })
    const query = { file: file.name, dryRun: isDryRun || undefined }
    return fetchValue<SyncReport>('PUT', `${pathOf(name)}/file`, { body, query })
  }, refreshAnimals)
}

/** Where other software sends the file. */
export function fileUrlOf(name: string): string {
  return new URL(`../admin/v1${pathOf(name)}/file`, CONSOLE_URL).href
}

const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

function pathOf(name: string): `/sources/${string}` {
  return `/sources/${name}`
}
