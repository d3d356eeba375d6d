import type { TObject, TSchema } from 'typebox'
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

  /**
   * A bigint is an integer in JSON; `rule` is for the texts of refusals alone. `described` replaces a schema where the domain refuses,
   * in words of its own, more than the check does.
   */
  function define(schema: TSchema): Json {
    const { rule: _, described, ...members } = schema as Json
    if (described) return describe(described as TSchema)
    if (members.type === 'bigint') return { ...members, type: 'integer', format: 'int64' }
    if (members.enum) return { type: 'string', ...members }
    if (members.anyOf) return { ...members, anyOf: (members.anyOf as TSchema[]).map(describe) }
    if (members.oneOf) return { ...members, oneOf: (members.oneOf as TSchema[]).map(describe) }
    if (members.items) return { ...members, items: describe(members.items as TSchema) }
    return members.properties ? defineObject(members as unknown as TObject) : members
  }

  /** A member with a default may be left out; its description says what it is then. Generators take a `default` for a promise to send it. */
  function defineObject({ properties, required, ...members }: TObject): Json {
    const needed = required?.filter((name: string) => !('default' in (properties[name] as TSchema))) ?? []
    const defined = mapValues(properties, property => {
      const { default: _, ...described } = describe(property)
      return described
    })
    return { ...members, ...(needed.length > 0 && { required: needed }), properties: defined }
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
