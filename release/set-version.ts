import { setVersion } from './version.ts'

// npm run release:version -- 1.2.0, and after the release: npm run release:version -- 1.3.0-dev

const [version = ''] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+(-dev)?$/.test(version)) {
  console.error('error: Specify the version, for example: npm run release:version -- 1.2.0')
  process.exit(2)
}
setVersion(version, new Date().toISOString().slice(0, 10))
