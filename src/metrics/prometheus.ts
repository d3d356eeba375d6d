/**
 * The parts of prom-client that we use. Its main file also loads process metrics, a push gateway and OpenTelemetry: 70 more files at
 * start-up.
 */
export { default as Counter } from 'prom-client/lib/counter.js'
export { default as Gauge } from 'prom-client/lib/gauge.js'
export { default as Histogram } from 'prom-client/lib/histogram.js'
export { default as Registry } from 'prom-client/lib/registry.js'
