import { textOf } from '../support/html.ts'
import { LANGUAGES, type Language, type Sample } from './read-samples.ts'

/** A sample of the reference, and the operation that it shows. */
export interface ReferenceSample extends Sample {
  operationId: string
}

/** The samples of a reference page, as a reader copies them. */
export async function readReference(url: string): Promise<ReferenceSample[]> {
  const html = await (await fetch(`${url}/docs`)).text()
  const sections = html.split('<section class="operation').slice(1)
  return sections.flatMap(section => {
    const operationId = /<h3 id="(\w+)">/.exec(section)?.[1] ?? ''
    const group = /<div class="samples">.*?<\/div>/s.exec(section)?.[0] ?? ''
    return [...group.matchAll(/data-language="(\w+)".*?<code>(.*?)<\/code>/gs)].map(([, word, code = '']) => {
      const language = LANGUAGES.find(known => known === word) as Language
      const place = `reference-${operationId}`
      return { operationId, file: place, place, language, code: `${textOf(code)}\n`, heading: '', answer: undefined }
    })
  })
}
