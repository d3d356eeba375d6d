/** How much is measured: every loop has an end. */
export interface Extent {
  rounds: number
  /** Of each load. */
  seconds: number
}
