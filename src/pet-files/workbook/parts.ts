import { posix } from 'node:path'
import { damaged } from './damaged.ts'
import { prefixed, readAllXml } from './xml.ts'
import { MAX_PARTS, type Zip } from './zip.ts'

export interface Sheet {
  name: string
  /** The name of its part. */
  part: string
}

/** What a workbook says about its sheets. */
export interface Parts {
  /** The visible ones. */
  sheets: readonly Sheet[]
  /** Whether days are counted from 1904. */
  isFrom1904: boolean
  strings: string | undefined
  styles: string | undefined
}

/** @throws UserError when it has no sheet */
export async function readParts(zip: Zip): Promise<Parts> {
  const [book] = (await readRelations(zip, '')).filter(({ type }) => type === 'officeDocument')
  const workbook = book?.target ?? 'xl/workbook.xml'
  if (!zip.has(workbook)) throw damaged('it is a ZIP archive without a workbook (.xlsx)')
  let isFrom1904 = false
  const listed = await readAllXml<{ name: string; id: string | undefined; state?: string }>(
    zip.read(workbook),
    MAX_PARTS,
    found => ({
      open(name, attributes) {
        if (name === 'workbookPr') isFrom1904 = /^(?:1|true)$/.test(attributes.date1904 ?? '')
        if (name === 'sheet') found({ name: attributes.name ?? '', id: prefixed(attributes, 'id'), ...attributes })
      },
    }),
  )
  const relations = await readRelations(zip, workbook)
  const partOf = (wanted: string) => relations.find(({ type }) => type === wanted)?.target
  const worksheets = new Map(relations.flatMap(({ id, type, target }) => (type === 'worksheet' ? [[id, target]] : [])))
  const sheets = listed.flatMap(({ name, id = '', state = 'visible' }) => {
    const part = worksheets.get(id)
    return part !== undefined && state === 'visible' ? [{ name, part }] : []
  })
  if (sheets.length === 0) throw damaged('it has no sheet')
  return { sheets, isFrom1904, strings: partOf('sharedStrings'), styles: partOf('styles') }
}

interface Relation {
  id: string
  /** The last part of its name. */
  type: string
  /** The name of the part. */
  target: string
}

/** What a part refers to; the package itself has an empty name. */
async function readRelations(zip: Zip, part: string): Promise<Relation[]> {
  const [folder, file] = [posix.dirname(part), posix.basename(part)]
  const name = posix.join(folder, '_rels', `${file}.rels`)
  if (!zip.has(name)) return []
  return readAllXml(zip.read(name), MAX_PARTS, found => ({
    open(element, { Id: id = '', Type: type = '', Target: target = '' }) {
      if (element !== 'Relationship') return
      found({ id, type: posix.basename(type), target: posix.resolve('/', folder, target).slice(1) })
    },
  }))
}
