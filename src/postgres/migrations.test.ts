import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KNOWN_BY_OLDEST, MIGRATIONS } from './migrate.ts'

/** The rest of one action of ALTER TABLE: another one may follow after a comma. */
const REST = String.raw`(?:(?!,\s*(?:ADD|ALTER|DROP)\b)[^;])*`

/** Objects that an instance of an older release may still use or need. */
const NOT_EXPANDING: readonly RegExp[] = [
  /\bDROP\s+(?:TABLE|COLUMN|FUNCTION|VIEW|SEQUENCE|TRIGGER|TYPE)\b[^;]*/gi,
  /\bRENAME\b[^;]*/gi,
  /\bALTER\s+COLUMN\s+\w+\s+(?:SET\s+NOT\s+NULL|DROP\s+DEFAULT|(?:SET\s+DATA\s+)?TYPE)\b[^;]*/gi,
  /\bADD\s+(?:CONSTRAINT|CHECK|UNIQUE|(?:FOREIGN|PRIMARY)\s+KEY|EXCLUDE)\b[^;]*/gi,
  new RegExp(String.raw`\bADD\s+COLUMN\b(?=${REST}\bNOT\s+NULL\b)(?!${REST}\b(?:DEFAULT|GENERATED)\b)${REST}`, 'gi'),
  /\bTRUNCATE\b(?!\s+ON\b)[^;]*/gi,
  // PostgreSQL writes the whole table again, and no call can use it meanwhile.
  new RegExp(String.raw`\bADD\s+COLUMN\b${REST}\bSTORED\b`, 'gi'),
]

const UNIQUE_INDEX = /\bCREATE\s+UNIQUE\s+INDEX\b[^;]*?\bON\s+(?:ONLY\s+)?(\w+)[^;]*/gi
const NEW_TABLE = /\bCREATE\s+(?:TEMP(?:ORARY)?\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)/gi

/** With the reason why instances of the previous release do not need it. */
const ALLOWED: Readonly<Record<string, string>> = {
  'DROP FUNCTION has_part(TEXT, TEXT)': '0005_older_instances.sql adds it again, in the same transaction',
  'ADD COLUMN search_name TEXT COLLATE "C" GENERATED ALWAYS AS (fold(name)) STORED':
    'takes 1 to 3 s for each million animals; docs/operations/upgrade.md says so',
  'CREATE UNIQUE INDEX account_by_name_key ON account (name_key)':
    'a trigger of 0005_older_instances.sql fills the key for older instances',
}

test('migrations that instances of the previous release do not know only add to what these use', () => {
  const found = MIGRATIONS.slice(KNOWN_BY_OLDEST).flatMap(text => findNotExpanding(text))
  assert.deepEqual(
    found.filter(statement => !(statement in ALLOWED)),
    [],
    'see docs/decisions/0066-rolling-upgrades.md',
  )
})

test('statements that would remove something that older instances need are found', () => {
  for (const statement of [
    'DROP TABLE pet',
    'ALTER TABLE pet DROP COLUMN name',
    'ALTER TABLE pet RENAME COLUMN name TO title',
    'ALTER TABLE pet ALTER COLUMN name SET NOT NULL',
    'ALTER TABLE pet ALTER COLUMN id TYPE text',
    'ALTER TABLE pet ADD CONSTRAINT named CHECK (name <> $$$$)',
    'ALTER TABLE pet ADD COLUMN colour TEXT NOT NULL',
    'TRUNCATE pet',
    'ALTER TABLE pet ADD COLUMN length INT GENERATED ALWAYS AS (length(name)) STORED',
    "ALTER TABLE pet ADD COLUMN colour TEXT NOT NULL, ADD COLUMN size TEXT DEFAULT ''",
    "ALTER TABLE pet ADD COLUMN size TEXT DEFAULT '', ADD COLUMN colour TEXT NOT NULL",
    "ALTER TABLE pet ADD CHECK (name <> '')",
    'ALTER TABLE pet ADD UNIQUE (name)',
    'ALTER TABLE pet ADD FOREIGN KEY (category_id) REFERENCES category (id)',
    'ALTER TABLE pet ADD PRIMARY KEY (name)',
    'CREATE UNIQUE INDEX pet_by_name ON pet (name)',
    'CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS pet_by_name ON ONLY pet (name)',
    'CREATE TABLE leash (id BIGINT); CREATE UNIQUE INDEX pet_by_name ON pet (name)',
  ]) {
    assert.equal(findNotExpanding(`-- A comment.\n${statement};\n`).length, 1, statement)
  }
  for (const statement of [
    'CREATE TABLE leash (id BIGINT PRIMARY KEY, name TEXT NOT NULL)',
    "ALTER TABLE pet ADD COLUMN colour TEXT NOT NULL DEFAULT ''",
    'ALTER TABLE pet ADD COLUMN colour TEXT',
    "ALTER TABLE pet ADD COLUMN colour TEXT NOT NULL DEFAULT '', ADD COLUMN size TEXT NOT NULL DEFAULT ''",
    'CREATE INDEX pet_by_name ON pet (name)',
    'CREATE TABLE leash (id BIGINT, name TEXT); CREATE UNIQUE INDEX leash_by_name ON leash (name)',
    '-- DROP TABLE pet',
    'CREATE TRIGGER kept BEFORE UPDATE OR TRUNCATE ON pet EXECUTE FUNCTION refuse_change()',
  ]) {
    assert.deepEqual(findNotExpanding(`${statement};`), [], statement)
  }
})

function findNotExpanding(text: string): string[] {
  const statements = text.replaceAll(/--.*$/gm, '')
  const newTables = new Set([...statements.matchAll(NEW_TABLE)].map(([, name]) => name))
  const found = NOT_EXPANDING.flatMap(pattern => [...statements.matchAll(pattern)])
  found.push(...[...statements.matchAll(UNIQUE_INDEX)].filter(([, table]) => !newTables.has(table)))
  return found.map(([statement]) => statement.trim())
}
