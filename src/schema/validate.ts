import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { ErrorCode } from './error-codes.ts'
import { InvalidInput } from './invalid-input.ts'

interface Member {
  name: string
  /** Whether it is an integer that fits into a number. */
  isNumber: boolean
  isOptional: boolean
  fallback: unknown
  isValid(value: unknown): boolean
  rule: string
}

/** What happens to unknown members. A public contract ignores them, so that it can grow. */
export type Unknown = 'ignored' | 'refused'

/**
 * Builds a check from an object schema. It picks the members that the schema knows and sets the defaults. It converts nothing, except
 * that an `integer`, as opposed to an int64, becomes a number.
 * @returns a function that throws InvalidInput with `code` and names every invalid member
 */
export function buildCheck<Properties extends TProperties>(
  schema: TObject<Properties>,
  code: ErrorCode,
  unknown: Unknown = 'ignored',
): (members: Readonly<Record<string, unknown>>) => Static<TObject<Properties>> {
  const known = Object.entries(schema.properties).map(([name, property]) => memberOf(name, property))
  const kind = code === 'invalid_parameter' ? 'parameter' : 'member'
  return members => {
    const values: Record<string, unknown> = {}
    const problems = unknown === 'refused' ? problemsOfUnknown(schema, members, kind) : []
    for (const { name, isNumber, isOptional, fallback, isValid, rule } of known) {
      const value = isNumber ? toNumber(members[name]) : members[name]
      if (value === undefined && isOptional) values[name] = fallback
      else if (value !== undefined && isValid(value)) values[name] = value
      else problems.push(`${name} must be ${rule}`)
    }
    if (problems.length > 0) throw new InvalidInput(code, `${problems.join('; ')}.`)
    return values as Static<TObject<Properties>>
  }
}

function problemsOfUnknown(
  { properties }: TObject,
  members: Readonly<Record<string, unknown>>,
  kind: 'member' | 'parameter',
): string[] {
  const names = Object.keys(members).filter(name => !Object.hasOwn(properties, name))
  const expected = Object.keys(properties).join(', ')
  return names.map(name => `unknown ${kind} ${JSON.stringify(name.slice(0, 40))}; expected ${expected}`)
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

/** The JSON parser returns every integer as a bigint. */
function toNumber(value: unknown): unknown {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value
}
