/** How long this process has used the processor for the work, in milliseconds. On a busy machine, the time of a clock says little. */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
