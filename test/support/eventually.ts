/** Only ends what hangs: a process with a low priority, as that of a backup, may need a minute where the machine is busy. */
const LIMIT_MS = 120_000

/**
 * Waits for a condition that becomes true soon: tries until the check no longer throws.
 * @param everyMs larger if it takes seconds and each attempt is expensive
 * @param mayPass whether a later attempt may succeed after this error
 */
export async function eventually<Value>(
  attempt: () => Promise<Value> | Value,
  everyMs = 20,
  mayPass = (_error: unknown) => true,
): Promise<Value> {
  const deadline = performance.now() + LIMIT_MS
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!mayPass(error) || performance.now() > deadline) throw error
      await new Promise(resolve => setTimeout(resolve, everyMs))
    }
  }
}

/** The same for a check that says whether it holds, and throws when it never will. */
export async function until(isSo: () => boolean | Promise<boolean>, everyMs = 20): Promise<void> {
  const inVain = new Error('Waited in vain.')
  const check = async () => {
    if (!(await isSo())) throw inVain
  }
  await eventually(check, everyMs, error => error === inVain)
}

/** Waits for the next day (UTC) if this one ends within that time, because daily counts start over then. */
export async function untilDayLasts(ms: number): Promise<void> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS)
  if (leftMs < ms) await new Promise(resolve => setTimeout(resolve, leftMs))
}

const DAY_MS = 86_400_000

/** The store checks for writes by other processes once per millisecond. */
export function untilOthersWritesShow(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 3))
}
