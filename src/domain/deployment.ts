export const DEPLOYMENTS = ['production', 'staging'] as const

/** Production and staging share nothing: no data, no keys, no counters, no cursors. */
export type Deployment = (typeof DEPLOYMENTS)[number]
