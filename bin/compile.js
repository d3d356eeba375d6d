import './compile-cache.js'
import './own-modules.js'

// npm ci runs this script last. It compiles what npm start needs into the compile cache, which otherwise takes the first start a second and 15 MB.
await import('../src/cli/program.ts')
await import('../src/cli/serve.ts')
await import('../src/app/service.ts')
