// What no rounded number decides, in integers: the pieces of the loss function, the budgets that keep a level by the
// paper's bound, and whether anything is left to spend. Doubles only find out where to look.

import {
  bitLength, down, exactly, excess, exponentialOf, gcd, level, refuseIf, squareRoot, sumDown, U, wideDouble,
} from "./numbers.mjs";

const FAR = 3000; // a level beyond which the loss functions are at their limits
const HEIGHT = 2 ** 510; // of probabilities, so that products of two do not overflow, and few underflow
const ROOT_BITS = 256;
const CLOSE = 2 ** -20; // where a difference of levels is less than this part of them, doubles do not decide it
const MOST_BITS = 2 ** 18;

const sign = (n) => (n > 0n ? 1 : n < 0n ? -1 : 0);

class Fraction {
  constructor(n, d = 1n) {
    [this.n, this.d] = d < 0n ? [-n, -d] : [n, d];
  }
  plus({ n, d }) {
    return d === this.d ? new Fraction(this.n + n, d) : new Fraction(this.n * d + n * this.d, this.d * d);
  }
  minus({ n, d }) {
    return this.plus(new Fraction(-n, d));
  }
  times({ n, d }) {
    return new Fraction(this.n * n, this.d * d);
  }
  over({ n, d }) {
    return new Fraction(this.n * d, this.d * n);
  }
  compare({ n, d }) {
    return sign(this.n * d - n * this.d);
  }
}

const [ZERO, UNIT] = [new Fraction(0n), new Fraction(1n)];

export const NO_LOSS = [{ q: ZERO, d: ZERO, from: ZERO, to: null }]; // of a correlation that is not known

// The whole loss function: q, d, from and to of each piece, the ends in E, null for ∞. Exact.
// The pieces are the corners of the upper hull of the points (d_S, q_S) that are steepest from some (−v, −v).
export function piecesOf(chain) {
  if (chain.hasDisjointRows) return [{ q: UNIT, d: ZERO, from: ZERO, to: null }];
  const common = chain.distinct.reduce((sum, i) => (sum / gcd(sum, chain.sums[i])) * chain.sums[i], 1n);
  const rows = chain.distinct.map((i) => chain.weights[i].map((x) => (x * common) / chain.sums[i]));
  const points = [[0n, 0n]];
  for (const [q, d] of pairsOnHull(chain)) points.push(...prefixes(rows[q], rows[d]));
  const corners = hull(points);
  let first = 0;
  for (const [i, [d, q]] of corners.entries()) if (q - d > corners[first][1] - corners[first][0]) first = i;
  let last = first;
  while (last > 0 && corners[last - 1][1] * corners[last][0] > corners[last][1] * corners[last - 1][0]) last--;
  const ruling = corners.slice(last, first + 1).reverse();
  if (ruling[0][1] === 0n) return NO_LOSS;
  const end = ([d, q], [d1, q1]) => new Fraction((q1 + d - q - d1) * common, q * d1 - q1 * d);
  return ruling.map(([d, q], i) => ({
    q: new Fraction(q, common),
    d: new Fraction(d, common),
    from: i ? end(ruling[i - 1], ruling[i]) : ZERO,
    to: i + 1 < ruling.length ? end(ruling[i], ruling[i + 1]) : null,
  }));
}

// The pairs [q, d] of distinct rows whose points may touch the hull: a computed point is within a factor 1 ± (n + 8)u of
// the true one, and columns whose ratios doubles confuse lie on a chord to within 6n·u. All times 2^510.
function pairsOnHull(chain) {
  const pad = 64 * (chain.n + 16) * U;
  const rows = chain.distinct.map((i) => chain.entries[i].map((x) => x * HEIGHT));
  let ceiling = [[0, 0]];
  let slopes = slopesOf(ceiling, pad);
  const curves = [];
  for (let d = 0; d < rows.length; d++)
    for (let q = 0; q < rows.length; q++) {
      if (q === d || isBelow(rows[q], rows[d], slopes, pad)) continue;
      const points = curve(rows[q], rows[d]);
      curves.push([q, d, points]);
      if (points.every(([x, y]) => y <= on(ceiling, x))) continue;
      const corners = hull([...ceiling, ...points]);
      let top = 0;
      for (const [i, [x, y]] of corners.entries()) if (y - x > corners[top][1] - corners[top][0]) top = i;
      ceiling = corners.slice(0, top + 1);
      slopes = slopesOf(ceiling, pad);
    }
  return curves.filter(([, , points]) => points.some(([x, y]) => y >= on(ceiling, x) * (1 - pad)));
}

// The slopes λ of the hull from its last corner to its first, and the height q − λd of the corners there, rounded down.
function slopesOf(ceiling, pad) {
  return ceiling.map(([x, y], i) => {
    const [further, above] = ceiling[i + 1] ?? [x, y];
    const slope = x < further ? (above - y) / (further - x) : 1;
    return { slope, height: y && y - slope * x - pad * above };
  }).reverse();
}

// Whether all points are certainly below the hull: Σ max(0, q_j − λ d_j), which is convex in λ and does not rise with it,
// is below at each slope.
function isBelow(q, d, slopes, pad) {
  let most = Infinity;
  for (const { slope, height } of slopes) {
    if (most <= height) continue;
    if (slope === Infinity) return false;
    let [sum, mass] = [0, 0];
    for (let j = 0; j < q.length; j++) {
      const gap = q[j] - slope * d[j];
      if (gap >= -8 * U * q[j] && q[j] > 0) [sum, mass] = [sum + gap, mass + q[j]];
    }
    most = sum + pad * mass;
    if (most > height) return false;
  }
  return true;
}

// [d_S, q_S] over the prefixes of the columns with q_j ≥ d_j by falling q_j/d_j.
function curve(q, d) {
  const taken = [];
  for (let j = 0; j < q.length; j++) if (q[j] > 0 && q[j] * (1 + 8 * U) >= d[j]) taken.push([d[j], q[j]]);
  taken.sort((a, b) => a[0] / a[1] - b[0] / b[1]);
  let [x, y] = [0, 0];
  return taken.map(([below, above]) => [(x += below), (y += above)]);
}

// The hull of doubles at x; beyond its last corner it goes on with slope 1.
function on(ceiling, x) {
  let [low, high] = [0, ceiling.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (ceiling[middle][0] <= x) low = middle;
    else high = middle;
  }
  const [a, b] = [ceiling[low], ceiling[high]];
  return b ? a[1] + (b[1] - a[1]) * ((x - a[0]) / (b[0] - a[0])) : a[1] + (x - a[0]);
}

// [d_S, q_S] over the prefixes of the columns with q_j > d_j by falling q_j/d_j, in integers.
function prefixes(q, d) {
  const taken = [...q.keys()].filter((j) => q[j] > d[j]);
  taken.sort((i, j) => sign(d[i] * q[j] - d[j] * q[i]));
  let [x, y] = [0n, 0n];
  return taken.map((j) => [(x += d[j]), (y += q[j])]);
}

// The corners of the upper hull of points (d, q), by rising d; exact for integers.
function hull(points) {
  const corners = [];
  points.sort(([d, q], [e, r]) => (d < e ? -1 : d > e ? 1 : q > r ? -1 : q < r ? 1 : 0));
  for (const [d, q] of points) {
    if (corners.length && d === corners.at(-1)[0]) continue;
    while (corners.length > 1) {
      const [[d0, q0], [d1, q1]] = corners.slice(-2);
      if ((d1 - d0) * (q - q0) < (q1 - q0) * (d - d0)) break;
      corners.pop();
    }
    corners.push([d, q]);
  }
  return corners;
}

const atExcess = ({ q, d }, e) => q.times(e).plus(UNIT).over(d.times(e).plus(UNIT));

// e^L at the excess e: the greatest over the pieces. Exact.
function ratioAt(pieces, e) {
  return pieces.map((piece) => atExcess(piece, e)).reduce((most, x) => (x.compare(most) > 0 ? x : most));
}

// The piece of L that holds the solution x of x + L'(α − L(x)) = α, e = e^α − 1. Exact.
function ruling(own, other, e) {
  const a = e.plus(UNIT);
  for (const piece of own.slice(0, -1)) {
    const end = piece.to.plus(UNIT);
    if (end.compare(a) >= 0) return piece;
    const rest = a.over(ratioAt(own, piece.to)).minus(UNIT);
    if (end.times(ratioAt(other, rest)).compare(a) >= 0) return piece;
  }
  return own.at(-1);
}

// e^x − 1 for the solution x of x + L'(α − L(x)) = α on a piece of L and one of L', rounded down by less than 2^−250 of
// itself. Where neither piece is 0 it is the root of s·X² + b·X − r = 0.
function solution(e, own, other) {
  const [a, { q, d }, { q: q1, d: d1 }] = [e.plus(UNIT), own, other];
  if (q1.compare(d1) === 0) return e;
  if (q.compare(d) === 0) return e.times(UNIT.minus(q1).plus(d1.times(a))).over(q1.times(e).plus(UNIT));
  const [top, top1] = [d.times(a).minus(q), d1.times(a).minus(q1)];
  const s = q1.times(top).plus(q);
  const b = q1.times(e).plus(UNIT).minus(top1.times(top).plus(q.times(e)));
  const r = e.times(top1.plus(UNIT));
  if (s.n === 0n) return r.over(b);
  const square = b.times(b).plus(new Fraction(4n).times(s).times(r));
  const places = ROOT_BITS + Math.max(0, bitLength(square.d) - bitLength(square.n));
  const root = new Fraction(squareRoot((square.n << BigInt(2 * places)) / square.d), 1n << BigInt(places));
  const little = new Fraction(2n, 1n << BigInt(places));
  const two = new Fraction(2n);
  return b.n > 0n ? two.times(r).over(b.plus(root).plus(little)) : root.minus(b).over(two.times(s));
}

// A double below log(1 + x), x > 0 a Fraction.
const levelBelow = ({ n, d }) => level(wideDouble(n, d, -1), -1);

// log(1 + x) within a few ulps; ∞ for null.
export const levelNear = (x) => (x === null ? Infinity : level(wideDouble(x.n, x.d, 1)));

export const isIdentity = (pieces) => pieces[0].q.minus(pieces[0].d).compare(UNIT) === 0;
const isNothing = (pieces) => pieces[0].q.compare(pieces[0].d) === 0;

// The first, middle and last budget of the schedule that attains α, 0 < α < ∞, rounded down, from the pieces of L^B, L^F.
// Above FAR only those budgets still move whose own side is at its limit; they never fall when α rises.
export function budgetsBelow(alpha, backward, forward) {
  let [m, k] = excess(Math.min(alpha, FAR), -1);
  while (!Number.isInteger(m * 2 ** 53)) [m, k] = [2 * m, k - 1];
  const whole = BigInt(m * 2 ** 53);
  const e = k >= 53 ? new Fraction(whole << BigInt(k - 53)) : new Fraction(whole, 1n << BigInt(53 - k));
  const [own, other] = [ruling(backward, forward, e), ruling(forward, backward, e)];
  const [x, y] = [solution(e, own, other), solution(e, other, own)];
  let found = [levelBelow(x), levelBelow(x.plus(UNIT).over(atExcess(own, x)).minus(UNIT)), levelBelow(y)];
  if (alpha > FAR) {
    const moves = movesOf(backward.at(-1), forward.at(-1));
    found = found.map((budget, i) => down(budget + moves[i] * (alpha - FAR), 16));
  }
  const [free, then] = [isNothing(backward), isNothing(forward)];
  return [then ? alpha : found[0], free && then ? alpha : found[1], free ? alpha : found[2]];
}

// How fast the three budgets grow with α beyond FAR, from the last pieces.
function movesOf(backward, forward) {
  const [one, other] = [backward, forward].map(({ q, d }) => (d.n === 0n ? q : ZERO));
  if (one.compare(other) === 0) return one.n ? [0.5, 0, 0.5] : [1, 1, 1];
  return one.compare(other) > 0 ? [1, 0, 0] : [0, 0, 1];
}

// cap − L(previous) rounded down: what is left to spend. Args: pieces, a function that returns those of the loss.
export function leftBelow(loss, pieces, previous, cap) {
  if (cap === Infinity) return Infinity;
  const budget = sumDown(cap, -loss.at(previous));
  let left = budget > 0 ? budget : null;
  if (Math.abs(budget) <= cap * CLOSE) left = nearlyNothing(pieces(), previous, cap);
  refuseIf(left === null, "InfeasibleBudget", "what was released uses up the cap");
  return left;
}

// By as many bits as it takes. Nothing is left where both levels are 0, or equal and L the identity; otherwise e^cap is
// no rational function of e^previous, for two doubles, so that there is an end to the bits.
function nearlyNothing(pieces, previous, cap) {
  if (previous === 0 || isNothing(pieces)) return cap || null;
  if (isIdentity(pieces)) return cap > previous ? sumDown(cap, -previous) : null;
  for (let bits = 256; bits <= MOST_BITS; bits *= 4) {
    const places = bits + (cap > 1 ? 0 : 1100);
    const rest = shareLeft(pieces, previous, cap, places).minus(UNIT);
    const size = rest.n < 0n ? -rest.n : rest.n;
    if (size << BigInt(places - 96) > rest.d) return rest.n < 0n ? null : level(wideDouble(size, rest.d, -1), -1);
  }
  return null;
}

// e^cap over e^L(previous), to 2^−places and a little. Beyond FAR the last piece has d = 0, or cap were not near.
function shareLeft(pieces, previous, cap, places) {
  const one = 1n << BigInt(places);
  const power = (exact) => new Fraction(exponentialOf(exact, places), one);
  const { q, d } = pieces.at(-1);
  if (previous > FAR && d.n === 0n) return previous < Infinity ? UNIT.over(q.times(power(exactly(previous) - exactly(cap)))) : ZERO;
  const most = power(exactly(cap));
  return most.over(previous > FAR ? q.over(d) : ratioAt(pieces, power(exactly(previous)).minus(UNIT)));
}
