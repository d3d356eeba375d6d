/** Base URLs, with /v1. */
export interface DeploymentUrls {
  readonly production?: string
  readonly staging?: string
}

/** The example addresses in the guides. */
const EXAMPLE = /https:\/\/(staging\.)?petstore\.example\//g

/** Replaces the example addresses with these base URLs. Keeps an example if its base URL is unknown. */
export function nameAddresses(markdown: string, { production, staging }: DeploymentUrls): string {
  return markdown.replaceAll(EXAMPLE, (example, isStaging) => {
    const url = isStaging ? staging : production
    return url?.replace(/v1$/, '') ?? example
  })
}
