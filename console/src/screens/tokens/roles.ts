/** What the roles may do. The service enforces it. */
export const ROLES = [
  {
    value: 'staff',
    name: 'Staff',
    hint: 'Adds, corrects, imports and deletes animals. Can see everything else except operator tokens.',
  },
  {
    value: 'admin',
    name: 'Administrator',
    hint: 'Can do everything, including managing accounts, keys, bans and operator tokens.',
  },
] as const

export type RoleName = (typeof ROLES)[number]['value']
