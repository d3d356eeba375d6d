import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type ErrorCode, Refusal } from '../domain/errors.ts'

interface Member {
  name: string
  isOptional: boolean
  fallback: unknown
  isValid(value: unknown): boolean
  rule: string
}

/**
 * Makes a check out of an object schema. It picks the members that the schema knows, ignores all others, puts in the defaults
 * and converts nothing.
 * @returns a function that throws a Refusal with `code`, naming every member that is not as it must be
 */
export function buildCheck<Properties extends TProperties>(
  schema: TObject<Properties>,
  code: ErrorCode,
): (members: Readonly<Record<string, unknown>>) => Static<TObject<Properties>> {
  const known = Object.entries(schema.properties).map(([name, property]) => memberOf(name, property))
  return members => {
    const values: Record<string, unknown> = {}
    const mistakes: string[] = []
    for (const { name, isOptional, fallback, isValid, rule } of known) {
      const value = members[name]
      if (value === undefined && isOptional) values[name] = fallback
      else if (value !== undefined && isValid(value)) values[name] = value
      else mistakes.push(`${name} must be ${rule}`)
    }
    if (mistakes.length > 0) throw new Refusal(code, `${mistakes.join('; ')}.`)
    return values as Static<TObject<Properties>>
  }
}

function memberOf(name: string, schema: TSchema): Member {
  const { default: fallback, rule } = schema as TSchema & { default?: unknown; rule: string }
  const check = Compile(schema)
  return {
    name,
    isOptional: Type.IsOptional(schema) || fallback !== undefined,
    fallback,
    isValid: value => check.Check(value),
    rule,
  }
}
