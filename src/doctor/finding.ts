/** A result of a check, for a person. `fail`: the service cannot work, or must not, until this is fixed. */
export interface Finding {
  check: string
  outcome: 'ok' | 'warn' | 'fail'
  message: string
}

/** Makes the findings of one check. */
export function findingsOf(check: string): Record<Finding['outcome'], (message: string) => Finding> {
  const make = (outcome: Finding['outcome']) => (message: string) => ({ check, outcome, message })
  return { ok: make('ok'), warn: make('warn'), fail: make('fail') }
}
