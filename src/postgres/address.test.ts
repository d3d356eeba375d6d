import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listsHosts, nameOf } from './address.ts'

test('a URL that lists several hosts is recognised, in each form that libpq has', () => {
  for (const url of [
    'postgres://u:p@a:5432,b:5433/db?target_session_attrs=read-write',
    'postgresql://a,b/db',
    'postgres://[::1]:5433,10.0.0.1/db',
    'postgres:///db?host=a,b&port=5433',
    'postgres:///db?host=a&host=b',
    'POSTGRES://u:p@ignored:1/db?host=a%2Cb',
  ])
    assert.equal(listsHosts(url), true, url)
  for (const url of [
    '',
    'a,b',
    'mysql://a,b/db',
    'postgres://u:p@a:5433/db',
    'postgres://u:p,q@a/db',
    'postgres://u:p,q/r@a/db',
    'postgres:///db,1?host=/run/postgresql',
    'postgres://a/db?options=-csearch_path%3Dx,y',
  ])
    assert.equal(listsHosts(url), false, url)
})

test('the name of a database shows its server, and no secret', () => {
  assert.equal(nameOf('postgres://u:secret@a:5433/db?password=secret'), 'a:5433/db')
  assert.equal(nameOf('postgres:///db?host=/run/postgresql'), '/run/postgresql/db')
  assert.equal(nameOf('postgres:///db'), 'localhost/db')
})
