interface Needs {
  /** Sources of styles besides this service. */
  styles?: readonly string[]
  /** Sources of images and fonts besides this service. */
  data?: readonly string[]
  /** Origins that the page may call besides this service. */
  origins?: readonly string[]
}

/** Headers of a page: nothing loads from another host, only our scripts run, and no other site can frame it. */
export function pageHeaders({ styles = [], data = [], origins = [] }: Needs = {}): string[] {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    ["style-src 'self'", ...styles].join(' '),
    ["img-src 'self'", ...data].join(' '),
    ["font-src 'self'", ...data].join(' '),
    ["connect-src 'self'", ...origins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return ['Content-Security-Policy', policy.join('; '), 'Referrer-Policy', 'no-referrer']
}
