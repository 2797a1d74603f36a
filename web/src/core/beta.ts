/** Tails of distributions: the incomplete beta function, and with it Student's. */

const COEFFICIENTS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];
const TINY = 1e-300;
const MOST_TERMS = 10_000;

/** log Γ(x) for x > 0, by the approximation of Lanczos. */
export function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  let sum = COEFFICIENTS[0];
  for (let i = 1; i < COEFFICIENTS.length; i++) sum += COEFFICIENTS[i] / (x - 1 + i);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

/** I_x(a, b), the regularised incomplete beta function. */
export function incompleteBeta(a: number, b: number, x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (b === 1) return Math.exp(a * Math.log(x));
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return (front * fraction(a, b, x)) / a;
  return 1 - (front * fraction(b, a, 1 - x)) / b;
}

/** The continued fraction of the incomplete beta function, by the method of Lentz. */
function fraction(a: number, b: number, x: number): number {
  let c = 1;
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m < MOST_TERMS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / awayFromZero(1 + even * d);
    c = awayFromZero(1 + even / c);
    value *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / awayFromZero(1 + odd * d);
    c = awayFromZero(1 + odd / c);
    value *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return value;
}

function awayFromZero(x: number): number {
  return Math.abs(x) < TINY ? TINY : x;
}

/** Twice the tail of Student's distribution beyond |t|. */
export function studentTails(t: number, freedom: number): number {
  return incompleteBeta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

/** Benjamini and Hochberg's adjusted p-values: the false discovery rate at which each would be a discovery. */
export function adjusted(p: Float64Array): Float64Array {
  const order = Array.from(p.keys()).sort((i, j) => p[j] - p[i]);
  const q = new Float64Array(p.length);
  let least = 1;
  order.forEach((i, place) => {
    least = Math.min(least, (p[i] * p.length) / (p.length - place));
    q[i] = least;
  });
  return q;
}
