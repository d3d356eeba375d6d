import type { TSchema } from '../schema/type.ts'
import type { PublicOperation } from './operation.ts'

/**
 * Operations whose parameters of the same name have the same schema: the OpenAPI document describes each name once.
 * @throws Error
 */
export function withSharedParameters(operations: readonly PublicOperation[]): readonly PublicOperation[] {
  const shared = new Map<string, TSchema>()
  for (const operation of operations) {
    for (const { name, schema } of parametersOf(operation)) {
      if (shared.getOrInsert(name, schema) === schema) continue
      throw new Error(`The parameter "${name}" of ${operation.id} differs from the one of another operation.`)
    }
  }
  return operations
}

interface Parameter {
  name: string
  in: 'path' | 'query'
  schema: TSchema
}

export function parametersOf({ id, path, parameter, query }: PublicOperation): Parameter[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): Parameter => {
    if (!parameter) throw new Error(`${id} does not describe its parameter "${name}".`)
    return { name, in: 'path', schema: parameter }
  })
  const inQuery = Object.entries(query?.properties ?? {}).map(([name, schema]): Parameter => {
    return { name, in: 'query', schema }
  })
  return [...inQuery, ...inPath]
}
