// Checks the version before anything is imported: an older Node would fail on the first module that it cannot parse.
if (Number.parseInt(process.versions.node, 10) < 26) {
  console.error(
    `error: Petstore needs Node 26 (this is ${process.versions.node}). Run "npm ci", which installs it; ./petstore and npm start then use it.`,
  )
  process.exit(1)
}
