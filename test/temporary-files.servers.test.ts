import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PROGRAM } from './support/command-line.ts'
import { temporaryFolder } from './support/folder.ts'
import { hasOwnRoot, runInOwnRoot } from './support/servers/own-root.ts'

/** Imports an endless file, and prints the temporary files that the process has open, once both are there. */
const SCRIPT = `
mount -t tmpfs tmpfs /var/tmp
"$NODE" "$PROGRAM" account create acme --plan free >/dev/null
mkfifo "$PETSTORE_DATA/pipe"
"$NODE" "$PROGRAM" pet import "$PETSTORE_DATA/pipe" --format FORMAT &
import=$!
exec 3>"$PETSTORE_DATA/pipe"
printf 'FIRST' >&3
while ! ls -l /proc/$import/fd | grep PATTERN; do
  "$NODE" -p "'LINE\\n'.repeat(10000).trim()" >&3
done
kill $import
`

const IMPORTS = [
  {
    what: 'the temporary store of SQLite',
    format: 'ndjson',
    first: '',
    line: '{"name":"Rex","categoryId":7}',
    pattern: 'etilqs_',
  },
  {
    what: 'a CSV file that comes from a pipe',
    format: 'csv',
    first: 'name,categoryId\\n',
    line: 'Rex,7',
    pattern: 'petstore-.*[.]tmp',
  },
]

for (const { what, format, first, line, pattern } of IMPORTS) {
  test(`${what} is in the folder of the store if /var/tmp is in memory`, async t => {
    if (!hasOwnRoot(t)) return
    // On a disk, and not where the script puts a file system.
    const folder = await temporaryFolder(t, '/tmp')
    const script = SCRIPT.replace('FORMAT', format)
      .replace('FIRST', first)
      .replace('LINE', line.replaceAll('"', '\\"'))
      .replace('PATTERN', `'${pattern}'`)
    const { printed } = runInOwnRoot(script, { NODE: process.execPath, PROGRAM, PETSTORE_DATA: folder, TMPDIR: '' })
    assert.match(printed, new RegExp(`-> ${folder}/${pattern}`))
  })
}
