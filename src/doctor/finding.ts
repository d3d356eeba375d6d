/** What a check has found, for a person. `fail`: the service cannot work, or must not, until it is mended. */
export interface Finding {
  check: string
  outcome: 'ok' | 'warn' | 'fail'
  message: string
}
