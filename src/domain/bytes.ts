const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

/** Such as 1.5 MiB. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${UNITS[power]}`
}
