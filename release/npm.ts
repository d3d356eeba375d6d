import { type ExecFileSyncOptions, execFileSync } from 'node:child_process'

/**
 * Runs the npm that runs this program, with the Node that runs it, as not every npm supports every Node. Windows starts any other npm through
 * its shell only, which splits arguments at spaces.
 * @returns what it printed, if the options say so
 */
export function runNpm(args: readonly string[], options: ExecFileSyncOptions) {
  const { npm_execpath, npm_node_execpath } = process.env
  if (npm_execpath && npm_node_execpath) return execFileSync(npm_node_execpath, [npm_execpath, ...args], options)
  return execFileSync('npm', args, { ...options, shell: process.platform === 'win32' })
}
