import { escapeUnits } from '../../domain/untrusted-text.ts'

/**
 * An OpenAPI document as JSON. Invisible characters, which some patterns contain, are escaped: many tools read the document as YAML,
 * which does not allow them unescaped.
 */
export function formatDocument(document: object, indent?: number): string {
  const text = JSON.stringify(document, null, indent)
  return text.replaceAll(/(?![\n ])[\p{C}\p{Z}\u2027]/gu, escapeUnits)
}
