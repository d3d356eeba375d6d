import { type ExecFileSyncOptions, execFileSync } from 'node:child_process'

/**
 * Runs the same npm as the one that runs this program, with the same Node, because not every npm supports every Node. On Windows, any other npm
 * only starts through a shell, which splits arguments at spaces.
 * @returns its output, depending on the options
 */
export function runNpm(args: readonly string[], options: ExecFileSyncOptions) {
  const { npm_execpath, npm_node_execpath } = process.env
  if (npm_execpath && npm_node_execpath) return execFileSync(npm_node_execpath, [npm_execpath, ...args], options)
  return execFileSync('npm', args, { ...options, shell: process.platform === 'win32' })
}
