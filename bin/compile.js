import { globSync } from 'node:fs'
import './compile-cache.js'
import './own-modules.js'

// npm ci runs this script last. It compiles the whole program into the compile cache, which otherwise takes the first start a second and 40 MB.
const root = new URL('../', import.meta.url)
const sources = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts', '**/*.contract.ts', '**/*.d.ts'] })
for (const source of sources) {
  // Modules of threads are compiled, but do not run here.
  await import(new URL(source, root).href).catch(() => {})
}
