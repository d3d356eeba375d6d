import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'

/** Brings the cache up to date. The value is undefined if the write was refused, or its outcome is unknown. */
export type Upkeep<Value> = (client: QueryClient, value: Value | undefined) => void

/**
 * A write. Only the service decides whether it succeeded: the upkeep of the cache neither delays nor fails it.
 * @param mutationKey to find the writes in flight
 */
export function useWrite<Value, Wanted = void>(
  send: (wanted: Wanted) => Promise<Value>,
  upkeep: Upkeep<Value>,
  mutationKey?: readonly string[],
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: send,
    ...(mutationKey && { mutationKey }),
    onSettled: value => {
      try {
        upkeep(client, value)
      } catch (error) {
        reportError(error)
        void client.invalidateQueries()
      }
    },
  })
}
