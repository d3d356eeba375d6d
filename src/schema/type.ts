/**
 * JSON Schemas that carry the TypeScript types of their values. Supports only what the service uses: it starts in a third of the time that a
 * general library needs (docs/decisions/0001).
 */

declare const VALUE: unique symbol
declare const SOURCE: unique symbol
const OPTIONAL = Symbol('optional')
const NAMED = Symbol('named')

/**
 * A schema of values of a type, which write-json.ts makes from their source. `rule`, `check`, `described` and `eitherOf` are not part of JSON Schema;
 * validate.ts and the OpenAPI documents use them.
 */
export interface TSchema<Value = unknown, Source = Value> {
  readonly [VALUE]?: Value
  readonly [SOURCE]?: Source
  readonly [keyword: string]: unknown
}

export type TOptional<Schema extends TSchema> = Schema & { readonly [OPTIONAL]: true }

export type TProperties = Readonly<Record<string, TSchema>>

export interface TObject<Properties extends TProperties = TProperties>
  extends TSchema<StaticObject<Properties>, SourceObject<Properties>> {
  readonly properties: Properties
  /** The names of the properties that are not optional; absent if there are none. */
  readonly required?: readonly string[]
}

/** The type of the values that a schema describes. */
export type Static<Schema extends TSchema> = Schema extends TSchema<infer Value, unknown> ? Value : never

/** The type of what its JSON is made from. */
export type SourceOf<Schema extends TSchema> = Schema extends TSchema<unknown, infer Source> ? Source : never

type OptionalNames<Properties> = {
  [Name in keyof Properties]: Properties[Name] extends { readonly [OPTIONAL]: true } ? Name : never
}[keyof Properties]

type StaticObject<Properties extends TProperties> = Flat<
  { -readonly [Name in Exclude<keyof Properties, OptionalNames<Properties>>]: Static<Properties[Name]> } & {
    -readonly [Name in OptionalNames<Properties>]?: Static<Properties[Name]>
  }
>

type SourceObject<Properties extends TProperties> = Flat<
  { readonly [Name in Exclude<keyof Properties, OptionalNames<Properties>>]: SourceOf<Properties[Name]> } & {
    readonly [Name in OptionalNames<Properties>]?: SourceOf<Properties[Name]> | undefined
  }
>

type Flat<Type> = { [Name in keyof Type]: Type[Name] }

type Options = Readonly<Record<string, unknown>>

/** Each function accepts additional JSON Schema keywords and our own members. */
export const Type = {
  String: (options: Options = {}): TSchema<string> => ({ type: 'string', ...options }),
  /** An integer of up to 53 bits; the input may be a bigint. */
  Integer: (options: Options = {}): TSchema<number> => ({ type: 'integer', ...options }),
  /** An integer of up to 64 bits; the documents call it an integer of format int64. */
  BigInt: (options: Options = {}): TSchema<bigint> => ({ type: 'bigint', ...options }),
  Boolean: (options: Options = {}): TSchema<boolean> => ({ type: 'boolean', ...options }),
  Null: (): TSchema<null> => ({ type: 'null' }),
  Enum: <Value extends string>(values: readonly Value[], options: Options = {}): TSchema<Value> => ({
    enum: values,
    ...options,
  }),
  Array: <Item extends TSchema>(
    items: Item,
    options: Options = {},
  ): TSchema<Static<Item>[], readonly SourceOf<Item>[]> => ({ type: 'array', items, ...options }),
  Union: <Schemas extends readonly TSchema[]>(
    anyOf: readonly [...Schemas],
    options: Options = {},
  ): TSchema<Static<Schemas[number]>> => ({ anyOf, ...options }),
  Object: <Properties extends TProperties>(properties: Properties, options: Options = {}): TObject<Properties> => {
    const required = Object.keys(properties).filter(name => !isOptional(properties[name] as TSchema))
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
  },
  Optional: <Schema extends TSchema>(schema: Schema): TOptional<Schema> => ({ ...schema, [OPTIONAL]: true }),
  /** The same properties, each of which may be absent. */
  Partial: <Properties extends TProperties>(properties: Properties) =>
    Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)])) as {
      readonly [Name in keyof Properties]: TOptional<Properties[Name]>
    },
  /** A schema that each document describes once, under this name. Copies of it with other texts refer to it. */
  Named: <Schema extends TSchema>(name: string, schema: Schema): Schema => ({ ...schema, [NAMED]: { name, schema } }),
  /** A schema with a type that the caller asserts. */
  Unsafe: <Value, Source = Value>(schema: TSchema): TSchema<Value, Source> => schema as TSchema<Value, Source>,
}

/** The name of a schema, and the schema that has it: the same, or the one that it is a copy of. */
export function namedOf(schema: TSchema): { name: string; schema: TSchema } | undefined {
  return (schema as { [NAMED]?: { name: string; schema: TSchema } })[NAMED]
}

export function isOptional(schema: TSchema): boolean {
  return OPTIONAL in schema
}
