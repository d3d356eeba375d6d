/** The pages of claim links are below this path of the public listener. */
export const CLAIM_PATH = '/claim'

/** @param baseUrl the public base address, with /v1 */
export function claimAddress(baseUrl: string, secret: string): string {
  return `${baseUrl.replace(/\/v1$/, '')}${CLAIM_PATH}/${secret}`
}
