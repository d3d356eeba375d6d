import { statfsSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { isInstalled, isPinned } from './cores.ts'
import type { Extent } from './extent.ts'
import { type Figure, formatTable } from './figure.ts'
import { GENERATOR } from './load.ts'

const TMPFS = 0x01021994

/** What a reader must know of the run to judge its figures. */
export function describeRun({ rounds, seconds }: Extent): string {
  const disk = statfsSync(tmpdir()).type === TMPFS ? 'in memory, so that nothing is durable: set TMPDIR' : 'on a disk'
  return [
    `- ${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${process.platform} ${process.arch}`,
    `- ${availableParallelism()} cores: ${cpus()[0]?.model ?? 'unknown'}`,
    `- running already when the run began: ${loadavg()[0]?.toFixed(1)} (load average; a run that proves anything begins near 0)`,
    `- server and load generator: ${isPinned ? 'a core each' : 'NOT on cores of their own (no taskset, or one core)'}`,
    `- load: ${GENERATOR}, ${rounds} rounds of ${seconds} s each, after one round to warm up`,
    `- stores and logs: ${disk}`,
    ...(isInstalled('strace') ? [] : ['- no slow disk: strace is not installed']),
  ].join('\n')
}

export function writeResults(description: string, figures: readonly Figure[]): void {
  const text = `# The last full run\n\n${description}\n\n${formatTable(figures)}\n`
  writeFileSync(new URL('RESULTS.md', import.meta.url), text)
}
