import { buildOpenApi } from '../../src/public/openapi.ts'
import { formatDocument } from '../../src/schema/openapi/format.ts'

/** The path of the committed document. A change to it is visible as a change of the contract. */
export const OPENAPI_FILE = new URL('../../openapi.json', import.meta.url)

/** The document as committed, with reserved example addresses. */
export function formatPublished(): string {
  const document = buildOpenApi({
    production: 'https://petstore.example/v1',
    staging: 'https://staging.petstore.example/v1',
  })
  return `${formatDocument(document, 2)}\n`
}
