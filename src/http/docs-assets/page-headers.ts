interface Needs {
  /** Where its styles may come from; from this service alone if not said. */
  styles?: readonly string[]
  /** Where data for its images and fonts may stand besides. */
  data?: readonly string[]
  /** Where it may call besides this service. */
  origins?: readonly string[]
}

/** Headers of a page to be read: nothing from any other host, no script but ours, and no other site that frames it. */
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
