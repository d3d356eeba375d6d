import type { Static, TSchema } from 'typebox'
import { ListQuery } from '../http/schemas.ts'
import { buildCheck } from '../http/validate.ts'

const check = buildCheck(ListQuery, 'invalid_parameter')

/**
 * Reads the query of listPets. A known parameter must stand there once and not be empty; unknown ones are ignored.
 * @throws Refusal invalid_parameter
 */
export function parseListQuery(query: string): Static<typeof ListQuery> {
  const parameters: Record<string, unknown> = {}
  for (const [name, text] of new URLSearchParams(query)) {
    const schema: TSchema | undefined = (ListQuery.properties as Record<string, TSchema>)[name]
    if (schema) parameters[name] = name in parameters ? null : read(schema, text)
  }
  return check(parameters)
}

/** A number has one spelling, the plain decimal one; any other stays a text, which the check refuses. */
function read(schema: TSchema, text: string): unknown {
  return 'type' in schema && schema.type === 'integer' && /^(?:0|[1-9][0-9]{0,8})$/.test(text) ? Number(text) : text
}
