/** The nearest places of a map: a tree that halves the places along their widest axis. */

const LEAF = 16;

export class MapSearch {
  private readonly order: Int32Array;
  /** Of every inner node, in the order of a heap: the axis along which it is halved, and where. */
  private readonly axes: Uint8Array;
  private readonly cuts: Float64Array;

  /** Places are (rows, dim), row by row. */
  constructor(
    private readonly places: Float32Array,
    private readonly dim: number,
  ) {
    const n = places.length / dim;
    this.order = Int32Array.from({ length: n }, (_, i) => i);
    let nodes = 1;
    while (nodes * LEAF < n) nodes *= 2;
    this.axes = new Uint8Array(nodes);
    this.cuts = new Float64Array(nodes);
    this.halve(1, 0, n);
  }

  /** The k rows nearest to a row, itself left out, by distance and then by number; and their squared distances. */
  others(row: number, k: number): { rows: Int32Array; squares: Float64Array } {
    const found = new Nearest(k);
    const place = this.places.subarray(row * this.dim, (row + 1) * this.dim);
    this.visit(1, 0, this.order.length, place, row, found);
    return found.sorted();
  }

  private halve(node: number, start: number, stop: number): void {
    if (node >= this.axes.length) return;
    const axis = this.widestAxis(start, stop);
    const middle = (start + stop) >> 1;
    this.select(start, stop - 1, middle, axis);
    this.axes[node] = axis;
    this.cuts[node] = middle < stop ? this.places[this.order[middle] * this.dim + axis] : 0;
    this.halve(2 * node, start, middle);
    this.halve(2 * node + 1, middle, stop);
  }

  private widestAxis(start: number, stop: number): number {
    let widest = 0;
    let width = -1;
    for (let axis = 0; axis < this.dim; axis++) {
      let low = Infinity;
      let high = -Infinity;
      for (let i = start; i < stop; i++) {
        const x = this.places[this.order[i] * this.dim + axis];
        if (x < low) low = x;
        if (x > high) high = x;
      }
      if (high - low > width) [widest, width] = [axis, high - low];
    }
    return widest;
  }

  /** Moves rows so that those before `middle` are not above it along the axis, and those behind not below. */
  private select(first: number, last: number, middle: number, axis: number): void {
    const { order, places, dim } = this;
    while (first < last) {
      const pivot = places[order[(first + last) >> 1] * dim + axis];
      let i = first;
      let j = last;
      while (i <= j) {
        while (places[order[i] * dim + axis] < pivot) i++;
        while (places[order[j] * dim + axis] > pivot) j--;
        if (i > j) break;
        [order[i], order[j]] = [order[j], order[i]];
        i++;
        j--;
      }
      if (middle <= j) last = j;
      else if (middle >= i) first = i;
      else return;
    }
  }

  private visit(node: number, start: number, stop: number, place: Float32Array, self: number, found: Nearest): void {
    if (node >= this.axes.length) {
      for (let i = start; i < stop; i++) {
        const row = this.order[i];
        if (row !== self) found.offer(row, this.square(row, place));
      }
      return;
    }
    const middle = (start + stop) >> 1;
    const beyond = place[this.axes[node]] - this.cuts[node];
    const first = beyond < 0 ? 0 : 1;
    for (const side of [first, 1 - first]) {
      if (side !== first && beyond * beyond > found.limit) return;
      if (side === 0) this.visit(2 * node, start, middle, place, self, found);
      else this.visit(2 * node + 1, middle, stop, place, self, found);
    }
  }

  private square(row: number, place: Float32Array): number {
    let sum = 0;
    for (let axis = 0; axis < this.dim; axis++) {
      const step = this.places[row * this.dim + axis] - place[axis];
      sum += step * step;
    }
    return sum;
  }
}

/** The k smallest of what is offered: a heap whose root is the largest of them. */
class Nearest {
  private readonly rows: Int32Array;
  private readonly squares: Float64Array;
  private size = 0;

  constructor(k: number) {
    this.rows = new Int32Array(k);
    this.squares = new Float64Array(k);
  }

  /** What is farther has no chance. */
  get limit(): number {
    return this.size < this.rows.length ? Infinity : this.squares[0];
  }

  offer(row: number, square: number): void {
    if (this.size < this.rows.length) {
      this.put(this.size++, row, square, true);
    } else if (this.size > 0 && this.isAfter(0, row, square)) {
      this.put(0, row, square, false);
    }
  }

  sorted(): { rows: Int32Array; squares: Float64Array } {
    const order = Array.from({ length: this.size }, (_, i) => i);
    order.sort((i, j) => this.squares[i] - this.squares[j] || this.rows[i] - this.rows[j]);
    return {
      rows: Int32Array.from(order, (i) => this.rows[i]),
      squares: Float64Array.from(order, (i) => this.squares[i]),
    };
  }

  /** Whether the entry at a place comes after another one. */
  private isAfter(at: number, row: number, square: number): boolean {
    return this.squares[at] > square || (this.squares[at] === square && this.rows[at] > row);
  }

  private put(at: number, row: number, square: number, upwards: boolean): void {
    while (upwards && at > 0) {
      const parent = (at - 1) >> 1;
      if (this.isAfter(parent, row, square)) break;
      this.copy(parent, at);
      at = parent;
    }
    while (!upwards) {
      let child = 2 * at + 1;
      if (child >= this.size) break;
      if (child + 1 < this.size && this.isAfter(child + 1, this.rows[child], this.squares[child])) child++;
      if (!this.isAfter(child, row, square)) break;
      this.copy(child, at);
      at = child;
    }
    this.rows[at] = row;
    this.squares[at] = square;
  }

  private copy(from: number, to: number): void {
    this.rows[to] = this.rows[from];
    this.squares[to] = this.squares[from];
  }
}
