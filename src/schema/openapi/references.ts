export type Json = Record<string, unknown>

export function refer(kind: 'schemas' | 'parameters' | 'headers' | 'responses' | 'examples', name: string): Json {
  return { $ref: `#/components/${kind}/${name}` }
}

export function referToHeaders(...names: string[]): Json {
  return Object.fromEntries(names.map(name => [name, refer('headers', name)]))
}
