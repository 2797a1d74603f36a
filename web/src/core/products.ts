/** Inner products of lines of numbers. */

/** The inner product of n numbers of two arrays, from these places on. Four sums at a time, which is faster. */
export function inner(a: Float64Array, i: number, b: Float64Array, j: number, n: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let h = 0;
  for (; h + 3 < n; h += 4) {
    s0 += a[i + h] * b[j + h];
    s1 += a[i + h + 1] * b[j + h + 1];
    s2 += a[i + h + 2] * b[j + h + 2];
    s3 += a[i + h + 3] * b[j + h + 3];
  }
  for (; h < n; h++) s0 += a[i + h] * b[j + h];
  return s0 + s1 + s2 + s3;
}

/** Inner products of some lines, (lines, n): (lines, lines). */
export function gramOf(lines: Float64Array, nLines: number, n: number): Float64Array {
  const gram = new Float64Array(nLines * nLines);
  for (let a = 0; a < nLines; a++) {
    for (let b = 0; b <= a; b++) {
      gram[a * nLines + b] = gram[b * nLines + a] = inner(lines, a * n, lines, b * n, n);
    }
  }
  return gram;
}

export function largestOnDiagonal(matrix: Float64Array, k: number): number {
  let largest = 0;
  for (let i = 0; i < k; i++) largest = Math.max(largest, Math.abs(matrix[i * k + i]));
  return largest;
}
