import { spawnSync } from 'node:child_process'
import type { TestContext } from 'node:test'
import { needs, skip } from './needs.ts'

/** All processes end with the script, and so do its changes to /etc, /opt, /run, /usr/local and /var. */
const OWN_ROOT = `
disk=$(mktemp -d) && mount -t tmpfs tmpfs "$disk"
for folder in /etc /var /usr/local; do
  mkdir -p "$disk$folder/upper" "$disk$folder/work"
  mount -t overlay overlay -o "lowerdir=$folder,upperdir=$disk$folder/upper,workdir=$disk$folder/work" "$folder"
done
mount -t tmpfs tmpfs /run
mount -t tmpfs -o "size=\${OPT_SIZE:-64m}" tmpfs /opt
trap 'umount --lazy "$disk"; rmdir "$disk"' EXIT
exec 2>&1
`
const NAMESPACES = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc']

/** A program in place of `systemctl`, which starts and stops a service with the command of its name. */
export const SYSTEMCTL = `#!/bin/sh
case $1 in
  start)
    setsid "/usr/local/bin/$2" serve 9>&- >/dev/null 2>&1 </dev/null &
    echo $! >"/run/$2.pid" ;;
  stop)
    [ ! -e "/run/$2.pid" ] || { kill -9 "-$(cat "/run/$2.pid")"; rm "/run/$2.pid"; } 2>/dev/null ;;
  daemon-reload) ;;
  *) exit 1 ;;
esac
exit 0
`

let canMount: boolean | undefined

/** Skips the test, with a warning, if this user cannot have a root of its own. */
export function hasOwnRoot(t: TestContext): boolean {
  if (!needs(t, 'unshare') || !needs(t, 'setpriv')) return false
  canMount ??= runInOwnRoot('true').status === 0
  return canMount || skip(t, 'file systems cannot be mounted')
}

/**
 * Runs a shell script in the system's root, as root, without changing it.
 * @param env more variables; `OPT_SIZE` limits /opt, in the syntax of tmpfs
 * @param timeout in milliseconds
 */
export function runInOwnRoot(script: string, env: Record<string, string> = {}, timeout = 50_000) {
  const { stdout, status } = spawnSync('unshare', [...NAMESPACES, 'sh', '-ec', OWN_ROOT + script], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout,
  })
  return { printed: stdout, status }
}
