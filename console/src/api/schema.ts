import type { PetStatus as PetStatusName } from '../../../src/schema/pet-schemas.ts'
import type * as accounts from '../../../src/schema/responses/accounts.ts'
import type * as audit from '../../../src/schema/responses/audit.ts'
import type * as errors from '../../../src/schema/responses/errors.ts'
import type * as keys from '../../../src/schema/responses/keys.ts'
import type * as operators from '../../../src/schema/responses/operators.ts'
import type * as petFiles from '../../../src/schema/responses/pet-files.ts'
import type * as pets from '../../../src/schema/responses/pets.ts'
import type * as refusals from '../../../src/schema/responses/refusals.ts'
import type * as service from '../../../src/schema/responses/service.ts'
import type * as sources from '../../../src/schema/responses/sources.ts'
import type * as usage from '../../../src/schema/responses/usage.ts'
import type { Static, TSchema } from '../../../src/schema/type.ts'

// What the admin API responds, by the schemas of the service. Only their types are imported: the console has none of its code.

export type Error = Static<typeof errors.ErrorJson>

export type Pet = Static<typeof pets.PetJson>
export type PetStatus = Static<typeof PetStatusName>
export type DeletedPet = Static<typeof pets.DeletedPetJson>
export type PetTotals = Static<typeof pets.PetTotalsJson>
export type PetEvent = Static<typeof pets.PetEventJson>
export type PetPreview = Static<typeof pets.PetPreviewJson>
export type ChangedPets = Static<typeof pets.ChangedPetsJson>
export type DeletedPets = Static<typeof pets.DeletedPetsJson>
export type CategoryUse = Static<typeof pets.CategoryUseJson>
export type Undo = Static<typeof pets.UndoJson>
export type UndoPreview = Static<typeof pets.UndoPreviewJson>

export type CsvPreview = Static<typeof petFiles.CsvPreviewJson>
export type RunningImport = Static<typeof petFiles.RunningImportJson>
export type ImportReport = Static<typeof petFiles.ImportReportJson>
export type BadLine = ImportReport['bad'][number]
export type UnknownValue = ImportReport['unknownValues'][number]

export type Source = Static<typeof sources.SourceJson>
export type SourceRun = Static<typeof sources.SourceRunJson>
export type SyncReport = Static<typeof sources.SyncReportJson>

export type Account = Static<typeof accounts.AccountJson>
export type AccountWithUsage = Static<typeof accounts.AccountWithUsageJson>
export type Plan = Account['plan']
export type Windows = Static<typeof accounts.WindowsJson>

export type Key = Static<typeof keys.KeyJson>
export type IssuedKey = Static<typeof keys.IssuedKeyJson>
export type FoundSecret = Static<typeof keys.FoundSecretJson>
export type Ban = Static<typeof keys.BanJson>
export type ClaimLink = Static<typeof keys.ClaimLinkJson>
export type IssuedClaimLink = Static<typeof keys.IssuedClaimLinkJson>

export type Usage = Static<typeof usage.UsageJson>
export type DeprecatedUsage = Static<typeof usage.DeprecatedUsageJson>
export type Refusal = Static<typeof refusals.RefusalJson>

export type AuditEntry = Static<typeof audit.AuditEntryJson>
export type AuditAction = AuditEntry['action']
export type PetOfEntry = Static<typeof audit.PetOfEntryJson>

export type Session = Static<typeof operators.SessionJson>
export type Operator = Session['operator']
export type Token = Static<typeof operators.TokenJson>
export type IssuedToken = Static<typeof operators.IssuedTokenJson>
export type IssuedSignInLink = Static<typeof operators.IssuedSignInLinkJson>

export type Version = Static<typeof service.RunningVersionJson>
export type Health = Static<typeof service.HealthJson>
export type HealthPart = service.HealthPart
export type Setting = service.SettingJson
export type Finding = service.Finding
export type Doctor = Static<typeof service.DoctorJson>

type Modules = typeof accounts &
  typeof audit &
  typeof keys &
  typeof operators &
  typeof petFiles &
  typeof pets &
  typeof refusals &
  typeof service &
  typeof sources &
  typeof usage

/** The names of all members that are, may be, or list 64-bit integers. */
type Int64MemberOf<Value> = Value extends readonly (infer Item)[]
  ? Int64MemberOf<Item>
  : string extends keyof Value
    ? never
    : {
        [Name in keyof Value & string]: Extract<Value[Name], bigint | bigint[]> extends never
          ? Int64MemberOf<Value[Name]>
          : Name
      }[keyof Value & string]

const INT64: Record<Int64MemberOf<Static<Extract<Modules[keyof Modules], TSchema>>>, true> = {
  accountId: true,
  categoryId: true,
  entryId: true,
  firstId: true,
  id: true,
  keyId: true,
  lastId: true,
  missingIds: true,
  petId: true,
  replacedBy: true,
  subjectId: true,
  tokenId: true,
}

/** The members that are 64-bit integers. */
export const INT64_MEMBERS: ReadonlySet<string> = new Set(Object.keys(INT64))
