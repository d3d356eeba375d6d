import { readFileSync } from 'node:fs'
import { MAX_CONNECTIONS } from '../http/listener.ts'

/** The store, its threads, log files and operators need these, so that a crowd of callers does not make health checks fail. */
const RESERVED_DESCRIPTORS = 96
const MIN_CONNECTIONS = 32
/** Of the connections of both public listeners: plain HTTP is only redirected. */
const SHARES = { public: 0.9, redirect: 0.1 }

/** How many connections a public listener may have open, within the limit on open files of this process. */
export function maxConnections(listener: keyof typeof SHARES, openFiles = readOpenFilesLimit()): number {
  const available = Math.max(MIN_CONNECTIONS, openFiles - RESERVED_DESCRIPTORS)
  return Math.min(MAX_CONNECTIONS, Math.floor(available * SHARES[listener]))
}

/** Only Linux shows it; other systems are for development. */
function readOpenFilesLimit(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return Number(limit ?? Number.POSITIVE_INFINITY)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
