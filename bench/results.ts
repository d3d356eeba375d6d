import { statfsSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { isInstalled, isPinned } from './cores.ts'
import { type Extent, type Figure, formatTable } from './figure.ts'

const TMPFS = 0x01021994

/** Describes the run, so that readers can judge its results. */
export function describeRun({ rounds, seconds }: Extent): string {
  const disk = statfsSync(tmpdir()).type === TMPFS ? 'in memory, so nothing is durable; set TMPDIR' : 'on a disk'
  return [
    `- ${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${process.platform} ${process.arch}`,
    `- ${availableParallelism()} cores: ${cpus()[0]?.model ?? 'unknown'}`,
    `- load average at the start of the run: ${loadavg()[0]?.toFixed(1)} (a meaningful run starts near 0)`,
    `- server and load generator: ${isPinned ? 'one core each' : 'NOT on separate cores (no taskset, or only one core)'}`,
    `- load: wrk, ${rounds} rounds of ${seconds} s each, after one warm-up round`,
    `- stores and logs: ${disk}`,
    ...(isInstalled('strace') ? [] : ['- slow disk not measured: strace is not installed']),
  ].join('\n')
}

export function writeResults(description: string, figures: readonly Figure[]): void {
  const text = `# The last full run\n\n${description}\n\n${formatTable(figures)}\n`
  writeFileSync(new URL('RESULTS.md', import.meta.url), text)
}
