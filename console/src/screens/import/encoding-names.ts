/** The encodings that files of animals have most often. The service reads more. */
export const ENCODING_NAMES: Readonly<Record<string, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16, little-endian',
  'utf-16be': 'UTF-16, big-endian',
  'windows-1252': 'Windows-1252 (Western European)',
  'windows-1250': 'Windows-1250 (Central European)',
  'windows-1251': 'Windows-1251 (Cyrillic)',
  'windows-1253': 'Windows-1253 (Greek)',
  'windows-1254': 'Windows-1254 (Turkish)',
  'windows-1255': 'Windows-1255 (Hebrew)',
  'windows-1256': 'Windows-1256 (Arabic)',
  'windows-1257': 'Windows-1257 (Baltic)',
  'windows-874': 'Windows-874 (Thai)',
  'iso-8859-2': 'ISO 8859-2 (Central European)',
  'iso-8859-5': 'ISO 8859-5 (Cyrillic)',
  'iso-8859-7': 'ISO 8859-7 (Greek)',
  'iso-8859-15': 'ISO 8859-15 (Western European)',
  macintosh: 'Macintosh (Western European)',
  'x-mac-cyrillic': 'Macintosh (Cyrillic)',
  'koi8-r': 'KOI8-R (Cyrillic)',
  'koi8-u': 'KOI8-U (Cyrillic)',
  ibm866: 'IBM 866 (Cyrillic)',
  shift_jis: 'Shift_JIS (Japanese)',
  'euc-jp': 'EUC-JP (Japanese)',
  'euc-kr': 'EUC-KR (Korean)',
  gb18030: 'GB 18030, GBK (Chinese)',
  big5: 'Big5 (Chinese)',
}

export function nameOfEncoding(encoding: string): string {
  return ENCODING_NAMES[encoding] ?? encoding
}
