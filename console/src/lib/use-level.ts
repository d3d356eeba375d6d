/** From this share of a limit, in percent, an account is near it. */
export const NEAR_PERCENT = 80

/** How a level looks. */
export const LEVEL_TONES = { normal: undefined, near: 'change', full: 'danger' } as const

/** @param usedPercent how much of a limit is used */
export function levelOf(usedPercent: number): 'normal' | 'near' | 'full' {
  if (usedPercent >= 100) return 'full'
  return usedPercent >= NEAR_PERCENT ? 'near' : 'normal'
}
