/**
 * What a spreadsheet has put in the place of a value, as the rest of a sentence: an error value, a logical value, a formula or a total; undefined
 * for other values. Spreadsheets write these words in capitals.
 */
export function findLeftover(value: string): string | undefined {
  if (ERROR_VALUES.has(value) || /^Err:\d{3}$/.test(value)) return 'is an error value of a spreadsheet'
  if (/^#{3,}$/.test(value)) return 'is what a spreadsheet shows when a column is too narrow'
  if (LOGICAL_VALUES.has(value)) return 'is a logical value of a spreadsheet'
  if (/^="[^"]*"$/.test(value)) return 'is a formula'
  return TOTAL.test(value) ? 'looks like a line of totals' : undefined
}

/** The same for an id that other software has given. Such an id is lost. */
export function findLostId(id: string): string | undefined {
  return ROUNDED.test(id) ? 'is in scientific notation, in which digits are lost' : findLeftover(id)
}

/** As spreadsheets write numbers of more digits than they show. */
const ROUNDED = /^\d(?:[.,]\d+)?e\+\d+$/i

/** With a number, or without. Shorter words, such as Suma, are names of animals, too. */
const TOTAL =
  /^(?:(?:grand|sub)?[ -]?totals?|summe|gesamt(?:summe|zahl)?|insgesamt|total général|totale|totaal|celkem|razem|итого|всего|合計|总计)(?:\s*[:=])?\s*[\d.,]*$/iu

/** By the languages of Excel and LibreOffice. */
const ERROR_VALUES = new Set(
  `
  #N/A #REF! #VALUE! #DIV/0! #NAME? #NUM! #NULL! #SPILL! #CALC! #FIELD! #BLOCKED! #CONNECT! #UNKNOWN! #BUSY! #GETTING_DATA
  #NV #BEZUG! #WERT! #ZAHL! #ÜBERLAUF! #KALK!
  #VALEUR! #NOM? #NOMBRE! #NUL! #PROPAGATION!
  #N/D #¡REF! #¡VALOR! #¡DIV/0! #¿NOMBRE? #¡NUM! #¡NULO! #¡DESBORDAMIENTO! #RIF! #VALORE! #NOME? #NULLO!
  #VALOR! #NÚM! #NULO!
  #N/B #VERW! #WAARDE! #DEEL/0! #NAAM? #GETAL! #LEEG!
  #N/D! #ADR! #ARG! #DZIEL/0! #NAZWA? #LICZBA! #ZERO!
  #SAKNAS! #REFERENS! #VÄRDEFEL! #DIVISION/0! #NAMN? #OGILTIGT! #SKÄRNING! #I/T #REFERENCE! #VÆRDI! #NAVN? #VERDI!
  #PUUTTUU! #VIITTAUS! #ARVO! #JAKO/0! #NIMI? #LUKU! #TYHJÄ!
  #NENÍ_K_DISPOZICI #ODKAZ! #HODNOTA! #DĚLENÍ_NULOU! #NÁZEV? #ČÍSLO!
  #HIÁNYZIK #HIV! #ÉRTÉK! #ZÉRÓOSZTÓ! #NÉV? #SZÁM! #NULLA!
  #Н/Д #ССЫЛКА! #ЗНАЧ! #ДЕЛ/0! #ИМЯ? #ЧИСЛО! #ПУСТО!
  #YOK #BAŞV! #DEĞER! #SAYI/0! #AD? #SAYI! #BOŞ!
  `
    .trim()
    .split(/\s+/),
)

/** Without words that are names of animals, too, such as VERO and SAND. */
const LOGICAL_VALUES = new Set(
  'TRUE FALSE WAHR FALSCH VRAI FAUX VERDADERO VERDADEIRO FALSO WAAR ONWAAR PRAWDA FAŁSZ FALSKT ИСТИНА ЛОЖЬ'.split(' '),
)
