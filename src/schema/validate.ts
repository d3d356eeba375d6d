import { UserError } from '../domain/errors.ts'
import type { ErrorCode } from './error-codes.ts'
import { InvalidInput, joinSentences, type Problem } from './invalid-input.ts'
import { testOf } from './is-valid.ts'
import { isOptional, type Static, type TObject, type TProperties, type TSchema } from './type.ts'

interface Member {
  name: string
  /** Whether it is an integer that fits into a number. */
  isNumber: boolean
  isOptional: boolean
  fallback: unknown
  isValid(value: unknown): boolean
  rule: string
  /** The domain's additional check. Throws InvalidInput or UserError. */
  check: ((value: unknown) => unknown) | undefined
}

/** How unknown members are handled. A public contract ignores them, so that it can evolve. */
export type Unknown = 'ignored' | 'refused'

/**
 * Builds a check from an object schema. It picks the members in the schema and sets the defaults. It converts nothing, except that an
 * `integer`, unlike an int64, becomes a number.
 * @returns a function that throws InvalidInput with every invalid member. Its code is `code`, or `invalid_input` if only the domain's checks
 * refuse a body
 */
export function buildCheck<Properties extends TProperties>(
  schema: TObject<Properties>,
  code: ErrorCode,
  unknown: Unknown = 'ignored',
): (members: Readonly<Record<string, unknown>>) => Static<TObject<Properties>> {
  const known = Object.entries(schema.properties).map(([name, property]) => memberOf(name, property))
  const { eitherOf = [] } = schema as { eitherOf?: readonly string[] }
  const kind = code === 'invalid_parameter' ? 'parameter' : 'member'
  return members => {
    const values: Record<string, unknown> = {}
    const problems = unknown === 'refused' ? problemsOfUnknown(schema, members, kind) : []
    if (eitherOf.length > 0 && eitherOf.every(name => members[name] === undefined)) {
      problems.push({ member: eitherOf[0] as string, message: isRequired(`Either ${eitherOf.join(' or ')}`) })
    }
    const refused: Problem[] = []
    for (const { name, isNumber, isOptional, fallback, isValid, rule, check } of known) {
      const value = isNumber ? toNumber(members[name]) : members[name]
      if (value === undefined && isOptional) values[name] = fallback
      else if (value !== undefined && isValid(value)) {
        values[name] = value
        refused.push(...problemsOfDomain(name, value, check))
      } else
        problems.push({ member: name, message: value === undefined ? isRequired(name) : `${name} must be ${rule}.` })
    }
    const isOfDomain = problems.length === 0 && kind === 'member'
    refuse(isOfDomain ? 'invalid_input' : code, [...problems, ...refused])
    return values as Static<TObject<Properties>>
  }
}

/** @throws InvalidInput if there are problems */
function refuse(code: ErrorCode, problems: readonly Problem[]): void {
  if (problems.length === 0) return
  throw new InvalidInput(code, joinSentences(problems.map(({ message }) => message)), problems)
}

function isRequired(what: string): string {
  return `${what} is required.`
}

function problemsOfDomain(member: string, value: unknown, check: Member['check']): Problem[] {
  try {
    check?.(value)
    return []
  } catch (error) {
    if (error instanceof UserError) return [{ member, message: error.message }]
    throw error
  }
}

function problemsOfUnknown(
  { properties }: TObject,
  members: Readonly<Record<string, unknown>>,
  kind: 'member' | 'parameter',
): Problem[] {
  const names = Object.keys(members).filter(name => !Object.hasOwn(properties, name))
  const expected = Object.keys(properties).join(', ')
  return names.map(name => {
    const member = name.slice(0, 40)
    return { member, message: `unknown ${kind} ${JSON.stringify(member)}; expected ${expected}.` }
  })
}

function memberOf(name: string, schema: TSchema): Member {
  const own = schema as TSchema & { default?: unknown; rule: string; check?: Member['check']; anyOf?: TSchema[] }
  const { default: fallback, rule, check, anyOf = [schema] } = own
  return {
    name,
    isNumber: anyOf.some(({ type }) => type === 'integer'),
    isOptional: isOptional(schema) || fallback !== undefined,
    fallback,
    isValid: testOf(schema),
    rule,
    check,
  }
}

/** The JSON parser returns every integer as a bigint. */
function toNumber(value: unknown): unknown {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value
}
