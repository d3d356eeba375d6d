import { useIsChunkMissing } from '../data/lazy-chunks.tsx'
import { Button } from '../ui/Button.tsx'
import './banner.css'

/** Offers to reload the page, which asks first if there are unsaved changes. */
export function MissingPart() {
  const isMissing = useIsChunkMissing()
  return (
    <div className="banner" role="status">
      {isMissing && (
        <p>
          <strong>Petstore has been updated.</strong> To continue, reload this page. What you have entered stays here
          until then. <Button onClick={() => location.reload()}>Reload</Button>
        </p>
      )}
    </div>
  )
}
