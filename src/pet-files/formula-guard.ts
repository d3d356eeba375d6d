/**
 * Matches names that a spreadsheet would read as a formula, and names that look like a guarded one. A leading apostrophe guards them; an
 * import with the same option removes it.
 */
const FORMULA = /^'*[=+@\uff0b\uff0d\uff1d\uff20-]/

export function guard(name: string): string {
  return FORMULA.test(name) ? `'${name}` : name
}

export function unguard(name: string): string {
  return name.startsWith("'") && FORMULA.test(name) ? name.slice(1) : name
}
