import type { Token } from '../../api/schema.ts'

export const ROLE_NAMES: Readonly<Record<Token['role'], string>> = {
  feed: 'Feed',
  staff: 'Staff',
  admin: 'Administrator',
}
