/** What `load` brings, loaded when it is first asked for and kept from then on. A load that failed is tried again. */
export function keep<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  return async () => {
    loading ??= load()
    try {
      return await loading
    } catch (error) {
      loading = undefined
      throw error
    }
  }
}
