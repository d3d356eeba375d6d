import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import type { Cleanup } from '../cleanup.ts'
import { eventually } from '../eventually.ts'
import { NotPossible } from './needs.ts'

/** A network within this machine, which can be parted. Its places are network namespaces; only root can create it. */
export interface SeparateNetworks {
  /** A place with this address in the network. The machine itself reaches it, too. */
  add(name: string, address: string): Place
  /** Cuts places off from everything else, together: they still reach each other. Nothing closes their connections. */
  part(...places: readonly Place[]): void
  /** Repairs what `part` did. */
  join(...places: readonly Place[]): void
}

/** Where servers run that must be cut off from others. */
export interface Place {
  name: string
  /** The words that run a command there. */
  prefix: readonly string[]
  /** Sends a signal to all processes that run there. */
  signal(signal: NodeJS.Signals): void
  /** Adds a line of its own to the machine, which is never cut: from `here` to `there`. */
  addLine(here: string, there: string): void
}

/**
 * @param name of the network, and the first part of the names of its links, which Linux limits to 15 characters
 * @param prefix the first three numbers of its addresses
 * @param own addresses that the machine itself has in it
 * @throws NotPossible if this user may not create networks, or if the addresses are in use
 */
export function openNetworks(t: Cleanup, name: string, prefix: string, own: readonly string[]): SeparateNetworks {
  if (process.getuid?.() !== 0) throw new NotPossible('networks can only be created by root')
  const range = `${prefix}.0/24`
  const routes = execFileSync('ip', ['route', 'show', 'table', 'all', 'to', 'root', range], { encoding: 'utf8' })
  if (routes !== '') throw new NotPossible(`${range} is in use`)
  // A bridge connects the links that belong to it. Places that are cut off together belong to the second one, which leads nowhere.
  const [whole, apart] = [name, `${name}-cut`]
  for (const bridge of [whole, apart]) {
    ip('link', 'add', bridge, 'type', 'bridge')
    t.after(() => ip('link', 'del', bridge))
    ip('link', 'set', bridge, 'up')
  }
  for (const address of own) ip('address', 'add', `${address}/24`, 'dev', whole)

  const move = (places: readonly Place[], bridge: string) => {
    for (const place of places) ip('link', 'set', `${name}-${place.name}`, 'master', bridge)
  }
  return {
    add(place, address) {
      const added = addPlace(t, `${name}-${place}`, place)
      addLink(t, added, `${name}-${place}`, 'eth0', `${address}/24`)
      move([added], whole)
      return added
    },
    part: (...places) => move(places, apart),
    join: (...places) => move(places, whole),
  }
}

function addPlace(t: Cleanup, namespace: string, name: string): Place {
  ip('netns', 'add', namespace)
  t.after(() => ip('netns', 'del', namespace))
  ip('-n', namespace, 'link', 'set', 'lo', 'up')
  const pids = () => execFileSync('ip', ['netns', 'pids', namespace], { encoding: 'utf8' })
  const place: Place = {
    name,
    prefix: ['ip', 'netns', 'exec', namespace],
    signal(signal) {
      for (const pid of pids().split('\n').filter(Boolean)) {
        try {
          process.kill(Number(pid), signal)
        } catch {
          // It has ended in the meantime.
        }
      }
    },
    addLine(here, there) {
      const device = `${namespace}-l`
      addLink(t, place, device, 'eth1', `${there}/24`)
      ip('address', 'add', `${here}/24`, 'dev', device)
    },
  }
  t.after(() =>
    eventually(() => {
      place.signal('SIGKILL')
      assert.equal(pids(), '')
    }),
  )
  return place
}

/** A link between the machine, where it is called `here`, and a place. */
function addLink(t: Cleanup, place: Place, here: string, there: string, address: string): void {
  const namespace = place.prefix.at(-1) as string
  ip('link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', namespace)
  // A namespace that is deleted may keep its link for some seconds.
  t.after(() => ip('link', 'del', here))
  ip('link', 'set', here, 'up')
  ip('-n', namespace, 'address', 'add', address, 'dev', there)
  ip('-n', namespace, 'link', 'set', there, 'up')
}

function ip(...args: string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] })
}
