import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'

// npm runs this after an installation, with any version of Node.

const root = new URL('../', import.meta.url)
const { optionalDependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
const name = Object.keys(optionalDependencies).find(one => existsSync(inModules(one)))

// Without such a package, as on Alpine Linux, there is nothing to do.
if (name) {
  // The C++ headers of Node: 67 MB that nothing here uses.
  rmSync(inModules(`${name}/include`), { recursive: true, force: true })
  linkNode()
}

/** npm 10 links no program that packages for several platforms have: without this, npm scripts would not find the Node that it installed. */
function linkNode() {
  const isWindows = process.platform === 'win32'
  const link = inModules(isWindows ? '.bin/node.exe' : '.bin/node')
  if (existsSync(link) || existsSync(inModules('.bin/node.cmd'))) return
  mkdirSync(inModules('.bin'), { recursive: true })
  if (isWindows) linkSync(inModules(`${name}/bin/node.exe`), link)
  else symlinkSync(`../${name}/bin/node`, link)
}

function inModules(path) {
  return new URL(`node_modules/${path}`, root)
}
