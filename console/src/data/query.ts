import {
  type QueryFunction,
  queryOptions,
  type SkipToken,
  type UndefinedInitialDataOptions,
} from '@tanstack/react-query'
import type { Key } from './query-keys.ts'

/** How a query behaves, whatever it reads. */
export type Behaviour<Data> = Omit<UndefinedInitialDataOptions<Data, Error, Data, Key<Data>>, 'queryKey' | 'queryFn'>

interface Parts<Data> extends Behaviour<Data> {
  queryKey: Key<Data>
  queryFn: QueryFunction<NoInfer<Data>, Key<Data>> | SkipToken
}

/** A query whose data is what its key holds. */
export function queryOf<Data>(parts: Parts<Data>) {
  return queryOptions<Data, Error, Data, Key<Data>>(parts)
}
