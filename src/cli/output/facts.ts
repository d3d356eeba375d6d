import type { AuditValue, GivenValues } from '../../domain/audit.ts'

type Facts = { readonly [Name in 'before' | 'after' | 'details']?: GivenValues | undefined }

/** What an action did to its subject or to one animal, such as "plan: free → pro, perMinute: 60 → 300". */
export function formatFacts({ before = {}, after = {}, details = {} }: Facts): string {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const changes = [...names].map(name => [name, formatChange(before[name], after[name])])
  // The details of older entries have the values of a new animal, too.
  const others = Object.entries(details).filter(([name]) => !names.has(name))
  const facts = [...changes, ...others].filter(([, value]) => value !== undefined)
  return facts.map(([name, value]) => `${name}: ${value}`).join(', ') || '-'
}

/** Returns undefined if there is nothing to show: the value has not changed, or is null in the only known state. */
function formatChange(before: AuditValue | undefined, after: AuditValue | undefined): string | undefined {
  if (before === after) return undefined
  if (before === undefined || after === undefined) return (before ?? after)?.toString()
  return `${before ?? '-'} → ${after ?? '-'}`
}
