// Checks the current folder before anything is imported: after an upgrade from within the old version's folder, it may be gone.
try {
  process.cwd()
} catch {
  console.error(
    'error: The current folder was removed, or this user may not read it. Change to another one, such as with cd /.',
  )
  process.exit(1)
}
