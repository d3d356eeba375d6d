/** The roots of the deployments, with a slash at their ends. */
export interface Roots {
  readonly production?: string
  readonly staging?: string
}

const EXAMPLE = /https:\/\/(staging\.)?petstore\.example\//g

/** Replaces the example addresses with these. Keeps the example of a deployment without one. */
export function nameAddresses(markdown: string, { production, staging }: Roots): string {
  return markdown.replaceAll(EXAMPLE, (example, isStaging) => (isStaging ? staging : production) ?? example)
}
