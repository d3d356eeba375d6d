import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs'

// npm runs this after an installation, with any version of Node.

const root = new URL('../', import.meta.url)
const { optionalDependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
const name = Object.keys(optionalDependencies).find(one => existsSync(inModules(one)))

// Without such a package, as on Alpine Linux, there is nothing to do.
if (name) {
  try {
    // The C++ headers of Node: 67 MB that nothing here uses.
    rmSync(inModules(`${name}/include`), { recursive: true, force: true })
    linkNode()
  } catch (error) {
    // The rest is installed, and works with another Node, too.
    console.warn(`npm scripts may not find the Node that npm installed: ${error.message}`)
  }
}

/** npm 10 links no program that packages for several platforms have: without this, npm scripts would not find the Node that it installed. */
function linkNode() {
  const isWindows = process.platform === 'win32'
  const file = isWindows ? 'node.exe' : 'node'
  const program = inModules(`${name}/bin/${file}`)
  const link = inModules(`.bin/${file}`)
  if (existsSync(inModules('.bin/node.cmd'))) return
  // On Windows it is a file of its own, and stays the old Node after an update.
  if (existsSync(link) && (!isWindows || isSame(link, program))) return
  mkdirSync(inModules('.bin'), { recursive: true })
  // A link that leads nowhere does not exist, but is in the way.
  if (readdirSync(inModules('.bin')).includes(file)) {
    // Windows does not delete a program that runs, which is this one.
    if (isWindows) renameSync(link, inModules('.bin/old-node.exe'))
    else unlinkSync(link)
  }
  if (isWindows) linkSync(program, link)
  else symlinkSync(`../${name}/bin/node`, link)
}

/** Whether two names are of one file. */
function isSame(one, other) {
  const [{ dev, ino }, { dev: otherDev, ino: otherIno }] = [one, other].map(path => statSync(path, { bigint: true }))
  return dev === otherDev && ino === otherIno
}

function inModules(path) {
  return new URL(`node_modules/${path}`, root)
}
