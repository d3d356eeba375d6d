import type { TSchema } from 'typebox'
import { type Json, refer } from './references.ts'

/** The named schemas of a document, and how any schema is written where it is used. */
interface Schemas {
  named: Record<string, Json>
  /** A reference if it has a name, beside what it says otherwise than the named one. */
  describe(schema: TSchema): Json
}

/** Writes schemas that validate as schemas of an OpenAPI document. */
export function buildSchemas(table: Record<string, TSchema>): Schemas {
  function describe(schema: TSchema): Json {
    const [name, named] = Object.entries(table).find(([, one]) => isSame(one, schema)) ?? []
    if (!name) return define(schema)
    const own = Object.entries(schema).filter(([key, value]) => (named as Json)[key] !== value)
    return { ...refer('schemas', name), ...Object.fromEntries(own) }
  }

  /** A bigint is an integer in JSON; `rule` is for the texts of refusals alone. */
  function define(schema: TSchema): Json {
    const { rule: _, ...members } = schema as Json
    if (members.type === 'bigint') return { ...members, type: 'integer', format: 'int64' }
    if (members.enum) return { type: 'string', ...members }
    if (members.anyOf) return { ...members, anyOf: (members.anyOf as TSchema[]).map(describe) }
    if (members.items) return { ...members, items: describe(members.items as TSchema) }
    if (!members.properties) return members
    return { ...members, properties: mapValues(members.properties as Record<string, TSchema>, describe) }
  }

  return { named: mapValues(table, define), describe }
}

/** The same schema, or a copy of it that says more: the list of its values is still the same. */
function isSame(named: TSchema, schema: TSchema): boolean {
  return named === schema || ('enum' in named && 'enum' in schema && named.enum === schema.enum)
}

function mapValues(table: Record<string, TSchema>, map: (schema: TSchema) => Json): Record<string, Json> {
  return Object.fromEntries(Object.entries(table).map(([name, schema]) => [name, map(schema)]))
}
