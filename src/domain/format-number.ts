/** A whole number, such as 1,200. `toLocaleString` would load its language data first, which takes a tenth of the startup time. */
export function formatNumber(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
}

/** Such as "1 key" or "1,200 keys". */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`
}
