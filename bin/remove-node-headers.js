import { readFileSync, rmSync } from 'node:fs'

// npm runs this after an installation. The packages that bring Node also have its C++ headers, 67 MB that nothing here uses.

const root = new URL('../', import.meta.url)
const { optionalDependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
for (const name of Object.keys(optionalDependencies)) {
  rmSync(new URL(`node_modules/${name}/include`, root), { recursive: true, force: true })
}
