import { describeLabels } from '../../../src/domain/undone-label.ts'
import type { Undo } from '../api/schema.ts'
import { formatCounted } from '../lib/numbers.ts'
import { addToast } from '../ui/toasts.ts'

export function reportUndone({ undone, kept, labels }: Undo): void {
  const notUndone = kept > 0 ? [`Not for ${formatCounted(kept, 'animal')}, because of later changes.`] : []
  const description = [...notUndone, ...describeLabels(labels)].join(' ')
  addToast({ title: `Undone for ${formatCounted(undone, 'animal')}`, description })
}
