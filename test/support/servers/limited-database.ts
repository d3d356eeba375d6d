import { PostgresStore } from '../../../src/postgres/store.ts'
import { HANDBOOK } from '../handbook.ts'
import { makeDatabase, query, type TestDatabase } from './postgres.ts'

/** The store of an owner, and the URL of another user who has only the rights that the handbook grants. */
export interface LimitedDatabase {
  url: string
  owner: TestDatabase
  /** The name of the user, quoted for statements. */
  user: string
  drop(): Promise<void>
}

/** In the handbook, the schema is public, the database petstore, and the user pets_service. */
const [GRANTS = ''] = /^GRANT USAGE ON SCHEMA public TO pets_service;\n(?:.*;\n)+/m.exec(HANDBOOK) ?? []

export async function makeLimitedDatabase(serverUrl?: string): Promise<LimitedDatabase> {
  const owner = await makeDatabase(serverUrl)
  const [schema = ''] = /test_\w+/.exec(owner.url) ?? []
  const name = `${schema}-user`
  const user = `"${name}"`
  await (await PostgresStore.open(owner.url, 'production')).close()
  await owner.run(`CREATE ROLE ${user} LOGIN`)
  const database = new URL(owner.url).pathname.slice(1)
  await owner.run(
    GRANTS.replaceAll('SCHEMA public', `SCHEMA ${schema}`)
      .replaceAll('DATABASE petstore', `DATABASE ${database}`)
      .replaceAll('pets_service', user),
  )
  const url = Object.assign(new URL(owner.url), { username: name }).href
  return {
    url,
    owner,
    user,
    async drop() {
      const { href } = Object.assign(new URL(owner.url), { search: '' })
      await owner.drop()
      await query(href, `DROP OWNED BY ${user}; DROP ROLE ${user}`)
    },
  }
}
