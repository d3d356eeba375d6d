/** Pseudo-random numbers in [0, 1), the same in every run (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Picks a number from 0 to `count` − 1 by Zipf's law: the n-th is picked 1/n as often as the first. */
export function zipf(count: number, random: () => number): () => number {
  const upTo = new Float64Array(count)
  let sum = 0
  for (let rank = 0; rank < count; rank++) {
    sum += 1 / (rank + 1)
    upTo[rank] = sum
  }
  return () => {
    const wanted = random() * sum
    let low = 0
    let high = count - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((upTo[middle] as number) > wanted) high = middle
      else low = middle + 1
    }
    return low
  }
}
