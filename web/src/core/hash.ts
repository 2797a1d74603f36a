/**
 * Numbers that look random and are the same in Python (`featmap.explorer.hashing`) and on the page. A number depends on
 * a seed and a counter alone, so that anything can be drawn in any order.
 */

const GOLDEN = 0x9e3779b9;

/** A 32-bit number from another: every bit of the result depends on every bit of the argument. */
export function mixed(x: number): number {
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}

/** The number of a counter, of 32 bits. */
export function hashed(seed: number, counter: number): number {
  return mixed((mixed((seed + GOLDEN) >>> 0) ^ counter) >>> 0);
}

/** At most so many of some numbers, in rising order: those of the smallest hash, and of equal ones the smaller. */
export function sampled(numbers: Int32Array, most: number, seed: number): Int32Array {
  const rising = Int32Array.from(numbers).sort();
  if (rising.length <= most) return rising;
  const hashes = Uint32Array.from(rising, (number) => hashed(seed, number));
  const limit = hashes.slice().sort()[most - 1];
  let nEqual = most - hashes.reduce((count, hash) => count + (hash < limit ? 1 : 0), 0);
  return rising.filter((_, i) => hashes[i] < limit || (hashes[i] === limit && nEqual-- > 0));
}
