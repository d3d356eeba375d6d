import { type AdminContext, entryOf } from './context.ts'

/** Confirms that the clock is right, so that data may be deleted for its age. */
export async function confirmClock(context: AdminContext): Promise<void> {
  await context.store.confirmClock(context.now, entryOf(context, 'store.confirm-clock'))
}
