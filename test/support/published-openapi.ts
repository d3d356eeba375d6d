import { buildOpenApi } from '../../src/public/openapi.ts'
import { formatDocument } from '../../src/schema/openapi/format.ts'

/** Where the document is committed, so that a change of it is seen as a change of contract. */
export const OPENAPI_FILE = new URL('../../openapi.json', import.meta.url)

/** The document as it is committed, with addresses that are nobody's. */
export function formatPublished(): string {
  const document = buildOpenApi({
    production: 'https://petstore.example/v1',
    staging: 'https://staging.petstore.example/v1',
  })
  return `${formatDocument(document, 2)}\n`
}
