import { SETTINGS, type Setting } from '../../src/app/settings.ts'

/** The page of the handbook with the table. */
export const SETTINGS_PAGE = new URL('../../docs/operations/settings.md', import.meta.url)

const BEGIN = '<!-- settings: made from src/app/settings.ts by npm run settings -->\n'
const END = '<!-- settings end -->\n'

/**
 * The page with an up-to-date table of all settings.
 * @throws Error if it has no place for the table
 */
export function withSettingsTable(page: string): string {
  const [before, rest = ''] = page.split(BEGIN)
  const [, after] = rest.split(END)
  if (before === undefined || after === undefined) throw new Error('The page has no place for the table of settings.')
  return before + BEGIN + formatTable() + END + after
}

/** The first sentence of each meaning; `petstore serve --help` has the rest. */
function formatTable(): string {
  const rows = Object.values<Setting>(SETTINGS).map(({ name, default: fallback, meaning }) => {
    const value = fallback === undefined ? '' : `\`${fallback}\``
    const [sentence] = meaning.split(/(?<=\.) /)
    return `| \`${name}\` | ${value} | ${sentence?.replaceAll('|', '\\|')} |\n`
  })
  return `\n| setting | when unset | meaning |\n| --- | --- | --- |\n${rows.join('')}\n`
}
