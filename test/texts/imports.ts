/** What a source file imports. An import whose name is computed could be anything, and is allowed nowhere. */
export function importsOf(source: string): string[] {
  const statements = source.matchAll(/^\s*(?:import|export)\b(?:[^'";()]*?\bfrom)?\s*(['"])(.+?)\1/gm)
  const calls = source.matchAll(/\bimport\(\s*(?:(['"])(.+?)\1)?/g)
  return [...statements, ...calls].map(match => match[2] ?? '(computed)')
}
