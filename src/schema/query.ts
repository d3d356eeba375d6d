import { parseInt64 } from '../domain/int64.ts'
import { InvalidInput } from './invalid-input.ts'
import type { Static, TObject, TProperties, TSchema } from './type.ts'
import { buildCheck, type Unknown } from './validate.ts'

/**
 * Builds a check of queries from an object schema. A parameter must be sent once and not be empty.
 * @returns a function that throws InvalidInput invalid_parameter
 */
export function buildQueryCheck<Properties extends TProperties>(
  schema: TObject<Properties>,
  unknown: Unknown = 'ignored',
): (query: string) => Static<TObject<Properties>> {
  const check = buildCheck(schema, 'invalid_parameter', unknown)
  return query => {
    const parameters: Record<string, unknown> = Object.create(null)
    for (const [name, text] of new URLSearchParams(query)) {
      const known = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
      if (known && Object.hasOwn(parameters, name)) refuseRepeated(name)
      parameters[name] = read(known, text)
    }
    return check(parameters)
  }
}

function refuseRepeated(name: string): never {
  const message = `${name} must be sent only once.`
  throw new InvalidInput('invalid_parameter', message, [{ member: name, message }])
}

/** A number must be in plain decimal, a boolean `true` or `false`. Any other spelling stays a text, which the check refuses. */
function read(schema: TSchema | undefined, text: string): unknown {
  const type = schema && 'type' in schema ? schema.type : undefined
  if (type === 'integer' && /^(?:0|[1-9][0-9]{0,8})$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return type === 'bigint' ? (parseInt64(text) ?? text) : text
}
