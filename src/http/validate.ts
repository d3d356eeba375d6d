import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type ErrorCode, Refusal } from '../domain/errors.ts'

interface Member {
  name: string
  /** Whether it is an integer that a number can hold. */
  isNumber: boolean
  isOptional: boolean
  fallback: unknown
  isValid(value: unknown): boolean
  rule: string
}

/** What becomes of members that a schema does not know: a contract with the world ignores them, so that it may grow. */
export type Unknown = 'ignored' | 'refused'

/**
 * Makes a check out of an object schema. It picks the members that the schema knows, puts in the defaults and converts nothing, but
 * that an integer which is no int64 comes as a number.
 * @returns a function that throws a Refusal with `code`, naming every member that is not as it must be
 */
export function buildCheck<Properties extends TProperties>(
  schema: TObject<Properties>,
  code: ErrorCode,
  unknown: Unknown = 'ignored',
): (members: Readonly<Record<string, unknown>>) => Static<TObject<Properties>> {
  const known = Object.entries(schema.properties).map(([name, property]) => memberOf(name, property))
  return members => {
    const values: Record<string, unknown> = {}
    const mistakes = unknown === 'refused' ? unknownMembers(schema, members) : []
    for (const { name, isNumber, isOptional, fallback, isValid, rule } of known) {
      const value = isNumber ? plain(members[name]) : members[name]
      if (value === undefined && isOptional) values[name] = fallback
      else if (value !== undefined && isValid(value)) values[name] = value
      else mistakes.push(`${name} must be ${rule}`)
    }
    if (mistakes.length > 0) throw new Refusal(code, `${mistakes.join('; ')}.`)
    return values as Static<TObject<Properties>>
  }
}

function unknownMembers({ properties }: TObject, members: Readonly<Record<string, unknown>>): string[] {
  const names = Object.keys(members).filter(name => !Object.hasOwn(properties, name))
  return names.map(name => `${JSON.stringify(name.slice(0, 40))} is none of ${Object.keys(properties).join(', ')}`)
}

function memberOf(name: string, schema: TSchema): Member {
  const { default: fallback, rule } = schema as TSchema & { default?: unknown; rule: string }
  const check = Compile(schema)
  return {
    name,
    isNumber: 'type' in schema && schema.type === 'integer',
    isOptional: Type.IsOptional(schema) || fallback !== undefined,
    fallback,
    isValid: value => check.Check(value),
    rule,
  }
}

/** The JSON parser gives every integer as a bigint. */
function plain(value: unknown): unknown {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value
}
