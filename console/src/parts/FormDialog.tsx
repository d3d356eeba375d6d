import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { flushSync } from 'react-dom'
import { type FieldValues, FormProvider, type UseFormReturn } from 'react-hook-form'
import { showRefusal } from '../lib/forms.ts'
import { useIsGone } from '../lib/use-is-gone.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog, type DialogProps } from '../ui/Dialog.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Notice } from '../ui/states.tsx'
import { addToast } from '../ui/toasts.ts'
import './secret.css'

interface FormDialogProps<Values extends FieldValues, Value>
  extends Omit<FormProps<Values>, 'id' | 'onSave'>,
    Pick<DialogProps, 'title' | 'description' | 'onClose'> {
  action: string
  onSave(values: Values): Promise<Value>
  /** Called once the dialog is closed, unless the operator did not wait for it. */
  onDone?(value: Value): void
  /** A secret that replaces the form in the same dialog, once the service has created it. */
  issued?: Issued | undefined
}

/** A form in a dialog, which closes once it is saved, unless it then shows a secret. The input stays when saving fails. */
export function FormDialog<Values extends FieldValues, Value>(props: FormDialogProps<Values, Value>) {
  const { title, description, action, onSave, onDone, onClose, issued, ...rest } = props
  const formId = useId()
  const { isSubmitting, isDirty } = rest.form.formState
  const isGone = useIsGone()
  const isSecret = 'issued' in props
  async function save(values: Values) {
    const value = await onSave(values)
    if (isSecret || isGone.current) return
    // At once: onDone may leave the screen, and leaving an open form needs confirmation.
    flushSync(onClose)
    onDone?.(value)
  }
  // Not a component: the dialog stays the same, and keeps the focus.
  if (issued) return secretDialog(issued, onClose)
  return (
    <Dialog
      onClose={onClose}
      title={title}
      description={description}
      isRunning={!isSecret && isSubmitting}
      // A secret in flight would never be shown.
      isGuarded={isSecret && isSubmitting}
      hasChanges={isDirty}
      cancel="Cancel"
      actions={
        <Button kind="primary" isMain type="submit" form={formId} isBusy={isSubmitting}>
          {action}
        </Button>
      }
    >
      <Form {...rest} id={formId} onSave={save} />
    </Dialog>
  )
}

interface FormProps<Values extends FieldValues> {
  id: string
  form: UseFormReturn<Values>
  /** Rejects with the service's refusal, which is then shown at its field or below the form. */
  onSave(values: Values): Promise<unknown>
  /** Maps the service's names to fields with another name. */
  fieldOf?: Readonly<Record<string, string>>
  /** Replaces the service's message of a refusal. */
  refusal?: ReactNode
  children: ReactNode
}

/** The form itself, for a dialog with its button. */
export function Form<Values extends FieldValues>(props: FormProps<Values>) {
  const { id, form, onSave, fieldOf, refusal, children } = props
  const { errors } = form.formState

  function submit(event: FormEvent) {
    // A choice that was refused would prevent all further attempts.
    form.clearErrors()
    void form.handleSubmit(values => onSave(values).catch(error => showRefusal(form, error, fieldOf)))(event)
  }

  return (
    <form id={id} className="stack" onSubmit={submit} noValidate>
      <FormProvider {...form}>{children}</FormProvider>
      {errors.root && <div ref={reveal}>{refusal ?? <Notice tone="danger">{errors.root.message}</Notice>}</div>}
    </form>
  )
}

/** A long form scrolls; what went wrong is below its last field. */
function reveal(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}

/** A secret that the service has just created, as lines to paste, such as into a shell. */
interface Issued {
  title: ReactNode
  warning: ReactNode
  lines: readonly { label: string; text: string }[]
}

/** Shows a secret that is never shown again. Its dialog is guarded: leaving the page needs confirmation. */
function secretDialog({ title, warning, lines }: Issued, onClose: () => void) {
  const stored = (
    <Button kind="primary" onClick={onClose}>
      I have stored it
    </Button>
  )
  return (
    <Dialog onClose={onClose} title={title} isGuarded actions={stored}>
      <Notice tone="change">{warning}</Notice>
      {lines.map(({ label, text }) => (
        <section key={label} className="secret-line" aria-label={label}>
          <span className="secret-label">{label}</span>
          <code className="secret-text">{text}</code>
          <CopyButton text={text} label={`Copy: ${label}`} />
        </section>
      ))}
    </Dialog>
  )
}

const TICK_MS = 2_000

/** Copies a text. It briefly shows a tick, and announces it to screen readers. */
function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setIsCopied] = useState(false)

  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      setIsCopied(true)
      setTimeout(() => setIsCopied(false), TICK_MS)
    } catch {
      // Browsers offer no clipboard to pages loaded without HTTPS.
      addToast({
        title: 'The browser does not allow this page to copy',
        description: 'Select the text and copy it.',
        type: 'error',
      })
    }
  }

  return (
    <Button kind="quiet" aria-label={label} title={label} onClick={copy}>
      <Icon name={isCopied ? 'check' : 'copy'} />
      <span className="visually-hidden" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
    </Button>
  )
}
