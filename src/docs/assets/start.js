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
  // No links to other hosts.
  proxyUrl: '',
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
})

// Scalar replaces the note, so the main part is looked up at each use.
document.querySelector('.skip').addEventListener('click', event => {
  event.preventDefault()
  const content = reference.querySelector('main')
  content.tabIndex = -1
  content.focus()
})

/**
 * By default, the console calls the origin of this page, which needs no CORS. The other public addresses can be chosen.
 * A server address that is a path is already on this origin.
 */
function ownFirst(servers) {
  if (servers.every(server => server.url.startsWith('/'))) return servers
  const url = new URL('v1', location.href).href
  const own = servers.find(server => server.url === url) ?? { url, description: 'This service' }
  return [own, ...servers.filter(server => server !== own)]
}

/** The console would send the example of every parameter. Optional parameters start empty and show their example as text. */
function beginEmpty(parameter) {
  if (parameter.required || 'default' in parameter.schema) return
  if (parameter.schema.$ref) {
    // Without an example, Scalar would send the first allowed value.
    parameter.example = ''
  } else {
    parameter.description += ` For example: \`${parameter.example}\``
    delete parameter.example
  }
}
