import { Notice } from '../../ui/Notice.tsx'

export function Problem({ error }: { error: Error }) {
  return (
    <Notice tone="danger">
      <span dir="auto">{error.message}</span>
    </Notice>
  )
}
