import { type Body, JSON_TYPE, type Operation } from './document.ts'

export interface Example {
  name: string
  /** For people; undefined if the document does not describe it. */
  summary: string | undefined
  path: Readonly<Record<string, unknown>>
  query: Readonly<Record<string, unknown>>
  headers: Readonly<Record<string, unknown>>
  /** A string unless the body is JSON. */
  body: unknown
  bodyType: string
  response: unknown
}

export function successOf({ responses }: Operation): string {
  return Object.keys(responses).find(status => status.startsWith('2')) as string
}

/** The examples of an operation; they have the same names in requests and responses. Returns at least one. */
export function examplesOf(operation: Operation): Example[] {
  const { parameters = [], requestBody, responses } = operation
  const bodies = byName(requestBody?.content)
  const answers = byName(responses[successOf(operation)]?.content)
  const given = [answers, bodies, ...parameters.map(({ examples = {} }) => examples)]
  // If the response has no body, the examples are in the request, if it takes any input.
  const names = Object.keys(given.find(examples => Object.keys(examples).length > 0) ?? { only: {} })
  return names.map(name => {
    const valuesIn = (place: string) =>
      Object.fromEntries(
        parameters
          .filter(parameter => parameter.in === place && parameter.examples?.[name])
          .map(parameter => [parameter.name, parameter.examples?.[name]?.value]),
      )
    return {
      name,
      summary: answers[name]?.summary,
      path: valuesIn('path'),
      query: valuesIn('query'),
      headers: valuesIn('header'),
      body: bodies[name]?.value,
      bodyType: bodies[name]?.type ?? JSON_TYPE,
      response: answers[name]?.value,
    }
  })
}

function byName(content: Body['content'] = {}) {
  const examples = Object.entries(content).flatMap(([type, { examples = {} }]) =>
    Object.entries(examples).map(([name, example]) => [name, { ...example, type }] as const),
  )
  return Object.fromEntries(examples)
}
