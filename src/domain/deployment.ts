export const DEPLOYMENTS = ['production', 'staging'] as const

/** Production and staging share nothing: neither data, nor keys, nor counters, nor cursors. */
export type Deployment = (typeof DEPLOYMENTS)[number]
