/**
 * The parts of the Prometheus client that we use. Its main file also loads OpenTelemetry, which would delay the start by 70 ms.
 */
export { default as Counter } from '@prometheus-io/client/lib/counter.js'
export { default as Gauge } from '@prometheus-io/client/lib/gauge.js'
export { default as Histogram } from '@prometheus-io/client/lib/histogram.js'
export { default as Registry } from '@prometheus-io/client/lib/registry.js'
