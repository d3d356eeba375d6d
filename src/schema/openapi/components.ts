import type { TObject, TSchema } from '../type.ts'
import { type Json, refer } from './references.ts'

/** The schemas of a document. */
interface Schemas {
  named: Record<string, Json>
  /** Describes a schema where it is used. A named one becomes a reference, plus the members that differ. */
  describe(schema: TSchema): Json
}

/** Converts the schemas that validate input to those of an OpenAPI document. @param table the named ones */
export function buildSchemas(table: Record<string, TSchema>): Schemas {
  function describe(schema: TSchema): Json {
    const [name, named] = Object.entries(table).find(([, one]) => isSame(one, schema)) ?? []
    if (!name) return define(schema)
    const own = Object.entries(schema).filter(([key, value]) => (named as Json)[key] !== value)
    return { ...refer('schemas', name), ...Object.fromEntries(own) }
  }

  /**
   * A bigint is an integer in JSON; `rule` is only for error messages. `described` replaces the schema of a check if the domain is
   * stricter, with a `check` and messages of its own.
   */
  function define(schema: TSchema): Json {
    const { rule: _, check: __, described, ...members } = schema as Json
    if (described) return describe(described as TSchema)
    if (members.type === 'bigint') return { ...members, type: 'integer', format: 'int64' }
    if (members.enum) return { type: 'string', ...members }
    if (members.anyOf) return { ...members, anyOf: (members.anyOf as TSchema[]).map(describe) }
    if (members.oneOf) return { ...members, oneOf: (members.oneOf as TSchema[]).map(describe) }
    if (members.items) return { ...members, items: describe(members.items as TSchema) }
    return members.properties ? defineObject(members as unknown as TObject) : members
  }

  /** A member with a default is optional; its description names the default. Generators read a `default` as a promise to send the member. */
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

/** Whether it is the same schema, or a copy with other texts, which still has the same list of values. */
function isSame(named: TSchema, schema: TSchema): boolean {
  return named === schema || ('enum' in named && 'enum' in schema && named.enum === schema.enum)
}

function mapValues(table: Record<string, TSchema>, map: (schema: TSchema) => Json): Record<string, Json> {
  return Object.fromEntries(Object.entries(table).map(([name, schema]) => [name, map(schema)]))
}
