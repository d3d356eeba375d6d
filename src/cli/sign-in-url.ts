/**
 * The address that signs a browser in.
 * @param base of the operators' listener; a proxy may serve it under a path prefix
 */
export function formatSignInUrl(base: string, secret: string): string {
  return `${base.replace(/\/$/, '')}/console/sign-in#${secret}`
}
