import { namedOf, type TObject, type TSchema } from '../type.ts'
import { type Json, refer } from './references.ts'

/** Converts the schemas that validate input to those of an OpenAPI document. */
export class Schemas {
  readonly #named = new Map<string, TSchema>()

  /** @param first the named ones with which the document begins; it has the others in the order of their first use */
  constructor(first: readonly TSchema[] = []) {
    for (const schema of first) this.describe(schema)
  }

  get named(): Record<string, Json> {
    const defined: Record<string, Json> = {}
    // A definition may use more of them, which then follow.
    for (const [name, schema] of this.#named) defined[name] = this.#define(schema)
    return defined
  }

  /**
   * Describes a schema where it is used. A named one becomes a reference, plus the members that differ.
   * @throws Error if another schema has the same name
   */
  describe(schema: TSchema): Json {
    const named = namedOf(schema)
    if (!named) return this.#define(schema)
    const { name, schema: original } = named
    if (this.#named.getOrInsert(name, original) !== original) throw new Error(`Two schemas are named "${name}".`)
    const own = Object.entries(schema).filter(([key, value]) => original[key] !== value)
    return { ...refer('schemas', name), ...Object.fromEntries(own) }
  }

  /**
   * A bigint is an integer in JSON; `rule` is only for error messages. `described` replaces the schema of a check if the domain is
   * stricter, with a `check` and messages of its own.
   */
  #define(schema: TSchema): Json {
    const { rule: _, check: __, described, ...members } = schema as Json
    const describe = (one: TSchema) => this.describe(one)
    if (described) return describe(described as TSchema)
    if (members.type === 'bigint') return { ...members, type: 'integer', format: 'int64' }
    if (members.enum) return { type: 'string', ...members }
    if (members.anyOf) return { ...members, anyOf: (members.anyOf as TSchema[]).map(describe) }
    if (members.oneOf) return { ...members, oneOf: (members.oneOf as TSchema[]).map(describe) }
    if (members.items) return { ...members, items: describe(members.items as TSchema) }
    return members.properties ? this.#defineObject(members as unknown as TObject) : members
  }

  /** A member with a default is optional; its description names the default. Generators read a `default` as a promise to send the member. */
  #defineObject({ properties, required, ...members }: TObject): Json {
    const needed = required?.filter((name: string) => !('default' in (properties[name] as TSchema))) ?? []
    const defined = Object.entries(properties).map(([name, property]) => {
      const { default: _, ...described } = this.describe(property)
      return [name, described]
    })
    return { ...members, ...(needed.length > 0 && { required: needed }), properties: Object.fromEntries(defined) }
  }
}
