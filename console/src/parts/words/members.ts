import { hiddenIn } from '../../api/refusal-words.ts'
import type { BadLine } from '../../api/schema.ts'
import type { AnimalState } from '../../data/animals.ts'

export const MEMBER_NAMES: Readonly<Record<keyof AnimalState | 'id', string>> = {
  name: 'Name',
  categoryId: 'Category',
  status: 'Status',
  id: 'Number',
}

/** The display name of a member; a file may have members that animals do not have. */
export function nameOfMember(member: string): string {
  return Object.hasOwn(MEMBER_NAMES, member) ? MEMBER_NAMES[member as keyof typeof MEMBER_NAMES] : member
}

/** Why a value is refused, without the API's name for its member. */
export function reasonInWords({ member, value, reason }: BadLine['problems'][number]): string {
  const hidden = hiddenIn(reason, value)
  if (hidden) return hidden
  return reason.startsWith(`${member} `) ? nameOfMember(member) + reason.slice(member.length) : reason
}

/** The same for the reason of a whole line, or of many: it may begin with the member. */
export function sharedReasonInWords(reason: string): string {
  const [member = ''] = reason.split(' ', 1)
  return reasonInWords({ member, value: null, reason })
}
