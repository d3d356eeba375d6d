/** Base URLs, with /v1. */
export interface DeploymentUrls {
  readonly production?: string
  readonly staging?: string
}

/** The example addresses in the guides. */
const EXAMPLE = /https:\/\/(staging\.)?petstore\.example\//g

/** Replaces the example addresses by these; examples without a known address stay. */
export function nameAddresses(markdown: string, { production, staging }: DeploymentUrls): string {
  return markdown.replaceAll(EXAMPLE, (example, isStaging) => {
    const url = isStaging ? staging : production
    return url?.replace(/v1$/, '') ?? example
  })
}
