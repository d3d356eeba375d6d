const reference = document.querySelector('#reference')
const answer = await fetch('openapi.json')
const description = await answer.json()
description.servers = ownFirst(description.servers)
Object.values(description.components.parameters ?? {}).forEach(beginEmpty)

reference.replaceChildren()
window.Scalar.createApiReference(reference, {
  content: description,
  documentDownloadType: 'none',
  modelsSectionLabel: 'Schemas',
  orderSchemaPropertiesBy: 'preserve',
  withDefaultFonts: false,
  // Whatever would lead to another host.
  proxyUrl: '',
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
})

// The reference is drawn anew where the note was, so its main part is looked for when it is asked for.
document.querySelector('.skip').addEventListener('click', event => {
  event.preventDefault()
  const content = reference.querySelector('main')
  content.tabIndex = -1
  content.focus()
})

/**
 * The console calls the origin that this page came from, which needs no CORS, by whatever name the service was reached; the other
 * public addresses can be chosen. An address that is a path is on the page's own origin already.
 */
function ownFirst(servers) {
  if (servers.every(server => server.url.startsWith('/'))) return servers
  const url = new URL('v1', location.href).href
  const own = servers.find(server => server.url === url) ?? { url, description: 'The service that sent this page' }
  return [own, ...servers.filter(server => server !== own)]
}

/** The console would send the example of every parameter: those that can be left out begin empty, and show theirs in words. */
function beginEmpty(parameter) {
  if (parameter.required || 'default' in parameter.schema) return
  if (parameter.schema.$ref) {
    // With no example at all, the first of the values would take its place.
    parameter.example = ''
  } else {
    parameter.description += ` For example: \`${parameter.example}\``
    delete parameter.example
  }
}
