import { summarize } from '../../../bench/figure.ts'
import { Creators } from '../creators.ts'
import { lineChart, type Point } from '../line-chart.ts'
import type { Scenario } from '../scenario.ts'
import { ServiceUnderTest } from '../service-under-test.ts'
import { Traffic } from '../traffic.ts'

const MINUTES = 30
const SECONDS_IN_SHORT = 10
const CALLERS = 64
const SAMPLE_MS = 5_000
/** The second quarter is compared with the last: by then, the caches are full. */
const QUARTERS = 4
const MAX_GROWTH = 1.25
const MAX_MORE_DESCRIPTORS = 32

interface Sample {
  minutes: number
  memory: number
  descriptors: number
}

export const soak: Scenario = {
  name: 'soak',
  explanation: 'half of the capacity for 30 minutes; memory may not grow by a quarter, and nothing may stay open',
  maxSeconds: MINUTES * 60 + 300,
  async run(stage) {
    const { tally, isQuick, t } = stage
    const service = await ServiceUnderTest.prepare(stage)
    await service.start()
    const creators = new Creators(service, tally)
    const traffic = new Traffic(service, tally, creators)
    const probe = isQuick ? 1 : 10
    await traffic.saturate(CALLERS, probe)
    const capacity = await traffic.saturate(CALLERS, probe)
    const before = traffic.calls
    const samples: Sample[] = []
    const startedAt = performance.now()
    const sample = () => {
      const minutes = (performance.now() - startedAt) / 60_000
      samples.push({ minutes, memory: service.memory(), descriptors: service.descriptors() })
      service.log.read()
    }
    const timer = setInterval(sample, isQuick ? SAMPLE_MS / 10 : SAMPLE_MS)
    t.after(() => clearInterval(timer))
    traffic.waits.reset()
    await traffic.keepUp(capacity / 2, isQuick ? SECONDS_IN_SHORT : MINUTES * 60)
    clearInterval(timer)
    const calls = traffic.calls - before
    await creators.settle()

    const { refused, cutOff } = tally.figures
    tally.expect(refused + cutOff === 0, `${refused} calls refused, ${cutOff} cut off`)
    tally.expect(service.log.read().length === 0, `the service logged ${service.log.lines[0]}`)
    const memory = (quarter: number) => median(quarterOf(samples, quarter), 'memory')
    const descriptors = (quarter: number) => median(quarterOf(samples, quarter), 'descriptors')
    tally.expect(isQuick || memory(3) <= memory(1) * MAX_GROWTH, `memory grew from ${memory(1)} to ${memory(3)} MB`)
    const more = descriptors(3) - descriptors(1)
    tally.expect(more <= MAX_MORE_DESCRIPTORS, `${more} more files and sockets are open`)
    await creators.compare()

    const [p50, p99] = [50, 99].map(one => (traffic.waits.percentile(one) / 1_000).toFixed(1))
    tally.note(
      `capacity ${Math.round(capacity).toLocaleString('en')} calls/s; ${calls.toLocaleString('en')} calls at half of it, p50 ${p50} ms, p99 ${p99} ms`,
    )
    tally.note(
      `memory: ${Math.round(memory(1))} MB in the second quarter, ${Math.round(memory(3))} MB in the last; files and sockets: ${descriptors(1)} and ${descriptors(3)}`,
    )
    const points = (figure: 'memory' | 'descriptors'): Point[] =>
      samples.map(one => ({ x: one.minutes, y: one[figure] }))
    for (const [figure, title] of [
      ['memory', 'Memory of the service at half of its capacity, MB'],
      ['descriptors', 'Open files and sockets of the service at half of its capacity'],
    ] as const) {
      tally.charts.push({ file: `soak-${figure}.svg`, title, svg: lineChart(title, 'minutes', points(figure)) })
    }
  },
}

function quarterOf(samples: readonly Sample[], quarter: number): Sample[] {
  const length = samples.length / QUARTERS
  return samples.slice(Math.floor(quarter * length), Math.ceil((quarter + 1) * length))
}

function median(samples: readonly Sample[], figure: 'memory' | 'descriptors'): number {
  return summarize(samples.map(one => one[figure])).median
}
