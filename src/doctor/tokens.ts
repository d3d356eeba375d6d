import type { Finding } from './finding.ts'

/** Whether anybody can sign in who may do all. */
export function checkTokens({ usableAdminTokens }: { usableAdminTokens: number }): Finding {
  if (usableAdminTokens === 0) {
    return {
      check: 'tokens',
      outcome: 'warn',
      message: "No administrator's token works: nobody can manage accounts over the operators' listener.",
    }
  }
  const message = `${usableAdminTokens} ${usableAdminTokens === 1 ? 'token' : 'tokens'} of administrators can be used.`
  return { check: 'tokens', outcome: 'ok', message }
}
