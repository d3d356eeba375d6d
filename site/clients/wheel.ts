import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { type Archive, type ArchivedFile, packFiles } from '../archive.ts'

const FOLDER = join(import.meta.dirname, '../../clients/python')

/** Packs the Python client as pip installs it: https://packaging.python.org/en/latest/specifications/binary-distribution-format/. */
export async function packWheel(time: Date): Promise<Archive> {
  const version = assigned(read('src/petstore_client/_version.py'), '__version__')
  const modules = globSync('petstore_client/**/{*.py,py.typed}', { cwd: join(FOLDER, 'src') }).toSorted()
  const info = `petstore_client-${version}.dist-info`
  const files = [
    ...modules.map(path => ({ path: path.replaceAll(sep, '/'), body: readFileSync(join(FOLDER, 'src', path)) })),
    { path: `${info}/METADATA`, body: Buffer.from(formatMetadata(version)) },
    { path: `${info}/WHEEL`, body: Buffer.from(WHEEL) },
    { path: `${info}/licenses/LICENSE`, body: readFileSync(join(FOLDER, 'LICENSE')) },
  ]
  const record = { path: `${info}/RECORD`, body: Buffer.from(formatRecord(files, `${info}/RECORD`)) }
  return {
    name: `petstore_client-${version}-py3-none-any.whl`,
    content: await packFiles([...files, record], 'zip', time),
  }
}

const WHEEL = 'Wheel-Version: 1.0\nGenerator: petstore\nRoot-Is-Purelib: true\nTag: py3-none-any\n'

function formatMetadata(version: string): string {
  const project = read('pyproject.toml')
  const fields: [name: string, value: string][] = [
    ['Metadata-Version', '2.4'],
    ['Name', assigned(project, 'name')],
    ['Version', version],
    ['Summary', assigned(project, 'description')],
    ['License-Expression', assigned(project, 'license')],
    ['License-File', 'LICENSE'],
    ...listOf(project, 'classifiers').map(value => ['Classifier', value] as [string, string]),
    ['Requires-Python', assigned(project, 'requires-python')],
    ...listOf(project, 'dependencies').map(value => ['Requires-Dist', value] as [string, string]),
    ['Description-Content-Type', 'text/markdown'],
  ]
  return `${fields.map(([name, value]) => `${name}: ${value}\n`).join('')}\n${read('README.md')}`
}

/** The sum of each file, and last the record itself. */
function formatRecord(files: readonly ArchivedFile[], own: string): string {
  const lines = files.map(({ path, body }) => `${path},sha256=${hash('sha256', body, 'base64url')},${body.length}`)
  return `${[...lines, `${own},,`].join('\n')}\n`
}

function read(path: string): string {
  return readFileSync(join(FOLDER, path), 'utf8')
}

/** A string that is assigned in Python or TOML, on a line of its own. */
function assigned(text: string, name: string): string {
  const value = RegExp(`^${name} = (["'])([^"'\\\\]+)\\1$`, 'm').exec(text)?.[2]
  if (value === undefined) throw new Error(`The Python client must have a line ${name} = "…".`)
  return value
}

/** A list of strings in TOML. */
function listOf(toml: string, name: string): string[] {
  const list = RegExp(`^${name} = \\[([^\\]]*)\\]$`, 'm').exec(toml)?.[1]
  if (list === undefined) throw new Error(`The Python client must have a list ${name} = […].`)
  return [...list.matchAll(/"([^"\\]+)"/g)].map(([, value = '']) => value)
}
