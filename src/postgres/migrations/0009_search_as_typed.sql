-- A text as it is searched, as in domain/fold.ts: also without marks and invisible characters, which people do not type, and with the apostrophes,
-- quotes and hyphens of a keyboard. Older instances search with this function, too.
CREATE OR REPLACE FUNCTION fold(name TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN octet_length(name) = length(name) THEN translate(upper(name COLLATE "C"), '`', '''') ELSE
    replace(replace(translate(regexp_replace(regexp_replace(regexp_replace(normalize(regexp_replace(normalize(upper(normalize(
      translate(name, E'\u00b4\u0384\u1fbd\u1fbf\u1ffd\u1ffe\u02dd\u2033\u2036', repeat('''', 6) || repeat('"', 3)),
      NFKC) COLLATE "und-x-icu"), NFKD) COLLATE "C",
      '[\u00ad\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u061c\u0640\u064b-\u0652\u0656-\u065f\u0670'
      '\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0897-\u089f\u08ca-\u08e1\u08e3-\u08ff\u115f\u1160\u17b4\u17b5\u180b-\u180f'
      '\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8'
      '\U00010efa-\U00010eff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]', '', 'g'), NFKC),
      '[`\u02b9\u02bb-\u02c0\u02c8\u02ca\u02cb\u055a\u05f3\u2018-\u201b\u2032\u2035\u2039\u203a\u275b\u275c\u275f\ua78b]', '''', 'g'),
      '[\u00ab\u00bb\u02ba\u02ee\u05f4\u201c-\u201f\u275d\u275e\u2760\u2e42\u301d-\u301f\U0001f676-\U0001f678]', '"', 'g'),
      '[\u02d7\u058a\u05be\u1400\u1806\u2010-\u2015\u2043\u2212\u2e17\u2e1a\u2e3a\u2e3b\u2e40\u2e5d]', '-', 'g'),
      'ØŁĐĦŦ', 'OLDHT'), 'Æ', 'AE'), 'Œ', 'OE') END COLLATE "C"
$$;

-- Creations wait meanwhile, because they would still store the older form. Only names whose form changes are written again. Most names have none
-- of these characters, which takes a fraction of the time of `fold`; the ranges are wider than necessary.
LOCK TABLE pet IN SHARE ROW EXCLUSIVE MODE;
WITH changed AS (
  UPDATE pet SET name = name
  WHERE name COLLATE "C" ~ '[`\u00ab-\u00bb\u0149\u02b9-\u02ff\u034f\u0374\u0384\u055a\u058a\u0591-\u05c7\u05f3\u05f4\u0610-\u061c\u0640'
    '\u064b-\u0670\u06d6-\u06ed\u0897-\u089f\u08ca-\u08ff\u115f\u1160\u1400\u17b4\u17b5\u1806-\u180f\u1e9a\u1fbd-\u208b\u2212'
    '\u275b-\u2760\u2e17-\u2e5d\u301d-\u301f\u3164\ua78b\ua78c\ufb1d-\ufeff\uff40\uffa0\ufff0-\ufff8'
    '\U00010efa-\U00010eff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U0001f676-\U0001f678\U000e0000-\U000e0fff]'
    AND search_name <> fold(name)
  RETURNING id
)
-- The background work adds them to the index again.
INSERT INTO pet_renamed (id) SELECT changed.id FROM changed, pet_progress WHERE changed.id <= indexed_to ON CONFLICT DO NOTHING;
