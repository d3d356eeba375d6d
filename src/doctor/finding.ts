/** The result of a check, for a person. `fail`: the service cannot or must not run until the problem is fixed. */
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
