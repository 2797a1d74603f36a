/** The symmetric graph, from the lists of every row's own neighbours: each edge is in the list of one of its ends. */

export interface Graph {
  /** Edges of row i are those from starts[i] to starts[i + 1]. */
  starts: Int32Array;
  ends: Int32Array;
  weights: Float64Array;
  /** Whether a row has any edge. */
  isConnected: Uint8Array;
}

/** Neighbours and the weights of their edges are (rows, k). A weight of 0 is no edge. */
export function graphOf(neighbours: Int32Array, edgeWeights: Float32Array, nRows: number, k: number): Graph {
  const starts = new Int32Array(nRows + 1);
  const isMutual = (i: number, j: number) => {
    for (let e = j * k; e < (j + 1) * k; e++) if (neighbours[e] === i && edgeWeights[e] > 0) return true;
    return false;
  };
  const isOneSided = new Uint8Array(neighbours.length);
  for (let e = 0; e < neighbours.length; e++) {
    if (edgeWeights[e] === 0) continue;
    const i = Math.floor(e / k);
    isOneSided[e] = isMutual(i, neighbours[e]) ? 0 : 1;
    starts[i + 1]++;
    starts[neighbours[e] + 1] += isOneSided[e];
  }
  for (let i = 0; i < nRows; i++) starts[i + 1] += starts[i];
  const ends = new Int32Array(starts[nRows]);
  const weights = new Float64Array(starts[nRows]);
  const next = starts.slice();
  const put = (from: number, to: number, weight: number) => {
    ends[next[from]] = to;
    weights[next[from]++] = weight;
  };
  for (let e = 0; e < neighbours.length; e++) {
    if (edgeWeights[e] === 0) continue;
    const i = Math.floor(e / k);
    put(i, neighbours[e], edgeWeights[e]);
    if (isOneSided[e]) put(neighbours[e], i, edgeWeights[e]);
  }
  const isConnected = Uint8Array.from({ length: nRows }, (_, i) => (starts[i + 1] > starts[i] ? 1 : 0));
  return { starts, ends, weights, isConnected };
}
