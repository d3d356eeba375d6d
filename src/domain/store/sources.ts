import type { NewAuditEntry } from '../audit.ts'
import type { Source, SourceChange, SourceRun, SourceSettings } from '../source.ts'
import type { NewestPage } from './page.ts'

/** Port: the feeds, the ids of their animals, and their last files. */
export interface SourceStore {
  /** By name. May take long, without delaying other calls. */
  listSources(query: SourceQuery): Promise<Source[]>
  /** @throws UserError when there is a source with this name */
  createSource(source: NewSource, entry: NewAuditEntry): Promise<Source>
  /** Changes at least one setting. False if there is no such source. */
  changeSource(id: bigint, change: SourceChange, entry: NewAuditEntry): Promise<boolean>
  /** Removes a source with its runs and the ids of its animals; the animals stay. False if there is no such source. */
  removeSource(id: bigint, entry: NewAuditEntry): Promise<boolean>
  /** Newest first. */
  listSourceRuns(query: SourceRunQuery): Promise<SourceRun[]>
  /** Where these animals come from, as far as a source has added them. */
  findOrigins(petIds: readonly bigint[]): Promise<PetOrigin[]>
  /** The animals with this id in any source. */
  findByExternalId(externalId: string): Promise<PetOrigin[]>
}

export interface SourceQuery {
  /** Only the source with this name, ignoring case. */
  name?: string | undefined
}

export type NewSource = SourceSettings & { name: string }

export interface SourceRunQuery extends NewestPage {
  sourceId: bigint
}

export interface PetOrigin {
  petId: bigint
  source: string
  externalId: string
}
