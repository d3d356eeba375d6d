/**
 * What we use of prom-client. Its main file also loads its metrics of the process, a gateway and OpenTelemetry, 70 files that the service
 * would start with.
 */
export { default as Counter } from 'prom-client/lib/counter.js'
export { default as Gauge } from 'prom-client/lib/gauge.js'
export { default as Histogram } from 'prom-client/lib/histogram.js'
export { default as Registry } from 'prom-client/lib/registry.js'
