import { formatCount, formatNumber } from '../../domain/format-number.ts'
import type { Limits } from '../../domain/plan.ts'
import { formatTime } from '../../domain/time.ts'
import { spellOut, withoutSecrets } from '../../domain/untrusted-text.ts'

/** Makes untrusted text safe for a terminal. Keeps line feeds. */
export function plain(text: string): string {
  return text.split('\n').map(spellOut).join('\n')
}

/** Does the same for one line: escapes line feeds, so that the text cannot add a line that looks like one of the program. */
export function plainLine(text: string): string {
  return plain(text).replaceAll('\n', '\\n')
}

/** One line for standard error, safe for a terminal and without secrets, whatever the input was. */
export function formatError(message: string): string {
  return `error: ${plain(withoutSecrets(message.replaceAll('\n', ' ')))}\n`
}

/** To the minute, in UTC, without spaces, for tables. */
export function formatMinute(time: number | undefined): string {
  return time === undefined ? '-' : new Date(time).toISOString().replace(/:\d+\.\d+Z$/, 'Z')
}

/** To the second, in UTC. */
export function formatSecond(time: number | undefined): string {
  return time === undefined ? '-' : formatTime(time)
}

/** Such as "300 requests per minute, 10,000 per day". */
export function formatLimits({ perMinute, perDay }: Limits): string {
  return `${formatCount(perMinute, 'request')} per minute, ${formatNumber(perDay)} per day`
}
