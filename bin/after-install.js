import { spawnSync } from 'node:child_process'
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
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// npm runs this script after an installation, possibly with an old version of Node.

const root = new URL('../', import.meta.url)
const { optionalDependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
const name = Object.keys(optionalDependencies).find(one => existsSync(inModules(one)))

// On platforms without such a package, such as Alpine Linux, there is nothing to do.
if (name) {
  try {
    // The C++ headers of Node: 67 MB that nothing here uses.
    rmSync(inModules(`${name}/include`), { recursive: true, force: true })
    linkNode()
  } catch (error) {
    // Everything else is installed, and also works with another Node.
    console.warn(`npm scripts may not find the Node that npm installed: ${error.message}`)
  }
}

removeSourceMaps(fileURLToPath(inModules('')))

// Last, what the service serves is built, and its code compiled, with the Node that was just installed. With --omit=dev, the packages for that are
// missing; if this script does not run at all, npm start builds.
if (existsSync(inModules('vite'))) {
  const own = name && inModules(programOf(name))
  const node = own && existsSync(own) ? fileURLToPath(own) : process.execPath
  // package.json says which library Node may lack: with some versions of npm, not even this script starts then.
  if (spawnSync(node, ['--version'], { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0) process.exit(1)
  const isNew = node !== process.execPath || Number.parseInt(process.versions.node, 10) >= 26
  for (const script of isNew ? ['build.js', 'compile.js'] : []) {
    spawnSync(node, [fileURLToPath(new URL(`bin/${script}`, root))], { stdio: 'inherit' })
  }
}

/** npm 10 does not link a program that several platform packages provide. Without this link, npm scripts would not find the installed Node. */
function linkNode() {
  const isWindows = process.platform === 'win32'
  const file = isWindows ? 'node.exe' : 'node'
  const program = inModules(programOf(name))
  const link = inModules(`.bin/${file}`)
  if (existsSync(inModules('.bin/node.cmd'))) return
  // On Windows, it is a separate file, which is still the old Node after an update.
  if (existsSync(link) && (!isWindows || isSame(link, program))) return
  mkdirSync(inModules('.bin'), { recursive: true })
  // To existsSync, a dangling link does not exist, but its name is taken.
  if (readdirSync(inModules('.bin')).includes(file)) {
    // Windows cannot delete a running program, and this script runs in it.
    if (isWindows) renameSync(link, inModules('.bin/old-node.exe'))
    else unlinkSync(link)
  }
  if (isWindows) linkSync(program, link)
  else symlinkSync(`../${name}/bin/node`, link)
}

/** They are for debugging packages in a browser, and take 14 MB. */
function removeSourceMaps(folder) {
  if (!existsSync(folder)) return
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) removeSourceMaps(path)
    else if (entry.isFile() && entry.name.endsWith('.map')) rmSync(path, { force: true })
  }
}

/** Whether two paths name the same file. */
function isSame(one, other) {
  const [{ dev, ino }, { dev: otherDev, ino: otherIno }] = [one, other].map(path => statSync(path, { bigint: true }))
  return dev === otherDev && ino === otherIno
}

function programOf(name) {
  return `${name}/bin/${process.platform === 'win32' ? 'node.exe' : 'node'}`
}

function inModules(path) {
  return new URL(`node_modules/${path}`, root)
}
