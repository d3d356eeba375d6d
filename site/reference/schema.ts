import { escapeHtml } from '../../src/pages/html.ts'
import { nameOf, type Parameter, type Schema } from './document.ts'
import { renderText } from './text.ts'

/** Renders the members of an object, the alternative forms of a body, or the type of any other schema. */
export function renderSchema(schema: Schema, schemas: Readonly<Record<string, Schema>>): string {
  const known = schemas[nameOf(schema) ?? ''] ?? schema
  if (known.oneOf) {
    const forms = known.oneOf.map(form => `<li>${renderSchema(form, schemas)}</li>`)
    return `<p>One of these forms:</p>\n<ol class="forms">${forms.join('')}</ol>`
  }
  if (!known.properties) return `<p>${renderType(known)}</p>`
  const members = Object.entries(known.properties).map(([name, member]) =>
    renderMember(name, member, known.required?.includes(name) ?? false),
  )
  return `<ul class="members">${members.join('\n')}</ul>`
}

/** Renders the parameters in one place, such as the query. */
export function renderParameters(parameters: readonly Parameter[]): string {
  const members = parameters.map(({ name, description, schema, required = false }) =>
    renderMember(name, { ...schema, ...(description !== undefined && { description }) }, required),
  )
  return `<ul class="members">${members.join('\n')}</ul>`
}

function renderMember(name: string, schema: Schema, isRequired: boolean): string {
  const required = isRequired ? ' <span class="required">required</span>' : ''
  const text = descriptionOf(schema) ?? ''
  // Some descriptions already contain the rule.
  const rules = rulesOf(schema).filter(rule => !text.includes(rule))
  const facts = [renderText(text), rules.map(rule => `${renderText(rule)}.`).join(' ')].filter(Boolean)
  return `<li><code class="member">${escapeHtml(name)}</code> <span class="type">${renderType(schema)}</span>${required}${facts.map(fact => `<p>${fact}</p>`).join('')}</li>`
}

/** Renders the name of a type; a schema of the document becomes a link. */
export function renderType(schema: Schema): string {
  const name = nameOf(schema)
  if (name) return `<a href="#schema-${name}">${name}</a>`
  const forms = schema.anyOf ?? schema.oneOf
  if (forms) return forms.map(renderType).join(' or ')
  if (schema.items) return `array of ${renderType(schema.items)}`
  const { type = 'value', format } = schema
  return escapeHtml(format ? `${type} (${format})` : type)
}

/** The description of a nullable value is in its non-null form. */
function descriptionOf({ description, anyOf = [] }: Schema): string | undefined {
  return description ?? anyOf.find(form => form.description)?.description
}

/** The rules as sentences without a full stop, in Markdown. */
function rulesOf({ enum: values, minimum, maximum, minLength, maxLength, default: usual }: Schema): string[] {
  const codes = (values ?? []).map(value => `\`${value}\``)
  return [
    ...(codes.length > 0 ? [`${codes.length > 1 ? 'One of' : 'Always'} ${codes.join(', ')}`] : []),
    ...rangeOf(minimum, maximum, ''),
    // A minimum length alone only means that the text is not empty, which is not worth a rule.
    ...(maxLength === undefined ? [] : rangeOf(minLength, maxLength, ' characters')),
    ...(usual === undefined ? [] : [`Default: \`${usual}\``]),
  ]
}

function rangeOf(from: number | undefined, to: number | undefined, unit: string): string[] {
  const format = (value: number) => value.toLocaleString('en')
  if (from !== undefined && to !== undefined) return [`${format(from)} to ${format(to)}${unit}`]
  if (to !== undefined) return [`At most ${format(to)}${unit}`]
  return from === undefined ? [] : [`At least ${format(from)}${unit}`]
}
