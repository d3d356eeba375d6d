import { SETTINGS, type Setting } from '../../src/app/settings.ts'

/** The operators' handbook. */
export const HANDBOOK = new URL('../../docs/operations.md', import.meta.url)

const BEGIN = '<!-- settings: made from src/app/settings.ts by npm run settings -->\n'
const END = '<!-- settings end -->\n'

/**
 * The handbook with an up-to-date table of all settings.
 * @throws Error if the handbook has no place for the table
 */
export function withSettingsTable(handbook: string): string {
  const [before, rest = ''] = handbook.split(BEGIN)
  const [, after] = rest.split(END)
  if (before === undefined || after === undefined)
    throw new Error('The handbook has no place for the table of settings.')
  return before + BEGIN + formatTable() + END + after
}

function formatTable(): string {
  const rows = Object.values<Setting>(SETTINGS).map(({ name, default: fallback, meaning }) => {
    const value = fallback === undefined ? '' : `\`${fallback}\``
    return `| \`${name}\` | ${value} | ${meaning.replaceAll('|', '\\|')} |\n`
  })
  return `\n| setting | when unset | meaning |\n| --- | --- | --- |\n${rows.join('')}\n`
}
