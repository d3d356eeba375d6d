import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformWithOxc } from 'vite'
import { type Archive, type ArchivedFile, packFiles } from '../archive.ts'

const FOLDER = join(import.meta.dirname, '../../client')
const OTHER_FILES = ['LICENSE', 'README.md', 'package.json']

/** Packs `@petstore/client`: for each module, JavaScript and its types. */
export async function packNpmPackage(time: Date): Promise<Archive> {
  const { version } = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8'))
  const modules = globSync('*.ts', { cwd: join(FOLDER, 'src'), exclude: ['*.test.ts'] }).toSorted()
  const others = OTHER_FILES.map(path => ({ path, body: readFileSync(join(FOLDER, path)) }))
  const files = [...others, ...(await Promise.all(modules.map(compile))).flat()]
  const inPackage = files.map(({ path, body }) => ({ path: `package/${path}`, body }))
  return { name: `petstore-client-${version}.tgz`, content: await packFiles(inPackage, 'tar.gz', time) }
}

/** @throws Error if an exported type is not written out, because it would have to be inferred; `npm run check` reports it, too */
async function compile(module: string): Promise<ArchivedFile[]> {
  const source = readFileSync(join(FOLDER, 'src', module), 'utf8')
  // The transformation could also rename the imports, but not those of the types.
  const renamed = source.replaceAll(/(?<=from '\.\/[\w-]+)\.ts(?=')/g, '.js')
  const { code, declaration } = await transformWithOxc(renamed, module, {
    target: 'es2023',
    sourcemap: false,
    tsconfig: false,
    typescript: { onlyRemoveTypeImports: true, declaration: {} },
  })
  if (declaration === undefined) throw new Error(`client/src/${module} has no types.`)
  const path = `dist/${module.replace(/\.ts$/, '')}`
  return [
    { path: `${path}.d.ts`, body: Buffer.from(declaration) },
    { path: `${path}.js`, body: Buffer.from(code) },
  ]
}
