// The exact worst case over an infinite horizon.
//
// It is bounded if and only if one class of values is closed and aperiodic, and e^ε·ρ < 1 for the spectral radius ρ of
// the others. A λ is above the ratio of any number of releases if the sweep from it ends with no c above 0, or shrinks by
// one factor, c' ≤ θ·c: Pᵀ and the positive part are monotone and homogeneous.

import { exactly, exponential, level, SCALE, sumUp, wideDouble } from "./numbers.mjs";
import { ENOUGH, Integers } from "./integers.mjs";
import { HUGE, MOST_WITHIN, Side, upperExcess } from "./side.mjs";
import { Worst } from "./worst.mjs";

const FEW = 16; // releases, for what orders the pairs and shares a level between two sides
const MOST_ROUNDS = 60;
const MOST_COURSE = 2 ** 10;
const RISE = 2 ** -46; // of a guess, relatively, that is worth another round
const MOST_HORIZON = 2 ** 12;
const MOST_STEPS = 20000;
const MOST_HUGE = 12;
const MOST_LIKELIHOODS = 100;
const SETTLED = 12; // steps
const SLOW = 16; // steps, after which a likelihood that still moves is solved for
const MOST_SOLVED = 200; // states
const MOST_PIVOT_PLACES = 5000;

// The values that all others reach in one same number of steps; none where the chain does not forget.
function closedClass(chain) {
  let reach = chain.weights.map((row) => row.reduce((set, x, b) => (x > 0n ? set | (1n << BigInt(b)) : set), 0n));
  for (let step = 0; step < 2 * Math.ceil(Math.log2(chain.n + 1)) + 1; step++)
    reach = reach.map((set) => reach.reduce((all, next, b) => ((set >> BigInt(b)) & 1n ? all | next : all), 0n));
  return reach.reduce((common, set) => common & set);
}

export const forgets = (side) => !side || side.n === 1 || closedClass(side.chain) !== 0n;

// Whether e^ε·ρ < 1 for the values outside the closed class: 1 − e^ε·P has positive pivots there. In integers rounded
// one way and the other; where neither decides, it is not.
function isBounded(side, epsilon) {
  if (!side || side.n === 1 || epsilon === 0) return true;
  const closed = closedClass(side.chain);
  if (!closed) return false;
  const others = [...Array(side.n).keys()].filter((a) => !((closed >> BigInt(a)) & 1n));
  if (others.length === 0) return true;
  if (epsilon > HUGE) return others.every((a) => others.every((b) => b < a || side.chain.weights[a][b] === 0n));
  for (let places = 256; places <= MOST_PIVOT_PLACES; places *= 2) {
    if (pivotsArePositive(side, epsilon, others, places, 1n)) return true;
    if (!pivotsArePositive(side, epsilon, others, places, -1n)) return false;
  }
  return false;
}

function pivotsArePositive(side, epsilon, others, places, little) {
  const shift = BigInt(places);
  const growth = exponential(epsilon, places) + 2n * little;
  const { weights, sums } = side.chain;
  const m = others.map((a) =>
    others.map((b) => (a === b ? 1n << shift : 0n) - (weights[a][b] ? (growth * weights[a][b]) / sums[a] + little : 0n)));
  for (let place = 0; place < m.length; place++) {
    if (m[place][place] <= 0n) return false;
    for (const row of m.slice(place + 1)) {
      if (row[place] === 0n) continue;
      for (let b = place + 1; b < m.length; b++) row[b] -= (row[place] * m[place][b]) / m[place][place] + little;
    }
  }
  return true;
}

// A question about any number of releases of one budget. Args: n, of states.
const endless = (epsilon) => {
  const e = upperExcess(epsilon);
  return { epsilon, e, epsilons: { length: FEW }, excesses: new Float64Array(MOST_HORIZON).fill(e) };
};

// One correlation, asked about any number of releases as `Side` is about some.
export class EndlessSide extends Side {
  likelihoods = new Map(); // for the sets that recur
  settled = Math.max(2 ** -50, this.slack * 2 ** -16); // by less none of them changes from step to step

  isWithin(j, k, { e, epsilon }, most) {
    if (j === k) return most >= 0;
    return most > 0 && most < MOST_WITHIN && epsilon < HUGE && this.keepsForEver(j, k, e, this.lowered(most), this.rests[0]);
  }

  // The log of the ratio of a pair over any number of releases, rounded up.
  logRatio(j, k, { epsilon, e, excesses }) {
    if (j === k || epsilon === 0) return 0;
    if (epsilon > HUGE) return this.logRatioFar(j, k, epsilon);
    let x = this.attainedForEver(j, k, e, this.guess(j, k, FEW), SETTLED);
    for (const [settled, rise] of [[SETTLED, Math.sqrt(this.slack) / 8], [MOST_COURSE, Math.sqrt(this.slack) / 8], [MOST_COURSE, 2 ** -50]]) {
      for (let round = 0, last = 0; round < MOST_ROUNDS && x > last * (1 + rise) && x < Infinity; round++)
        [last, x] = [x, Math.max(x, this.attainedForEver(j, k, e, x, settled))];
      const above = this.aboveForEver(j, k, e, this.note(j, k, FEW, x));
      if (above) return level([above, 0]);
    }
    x = this.raised(j, k, excesses, x, {}, RISE); // by sets that are empty, or full, from some release on
    const above = this.aboveForEver(j, k, e, x);
    return level(above ? [above, 0] : limitExactly(this, j, k, epsilon, x));
  }

  // A little above x, where 1 plus that is an upper bound for certain; 0 where it is not seen to be.
  aboveForEver(j, k, e, x) {
    for (let pad = this.slack / 64; pad <= this.slack; pad *= 4) if (this.keepsForEver(j, k, e, x * (1 + pad))) return x * (1 + pad);
    return 0;
  }

  // What the sets of the sweep at 1 + x attain, less 1, when one of them recurs from its step on: one that has been the
  // same for `settled` steps, otherwise the one in the middle of the steps that c takes to have entries of one sign
  // only. For x next to the limit c long stays in one direction first.
  attainedForEver(j, k, e, x, settled) {
    const charge = x * SCALE;
    const course = [];
    let [d, v, same] = [this.gaps(j, k), this.rows[k], 0];
    while (course.length < MOST_COURSE) {
      const factors = new Float64Array(this.n);
      const before = course[course.length - 1]?.factors;
      let [chosen, changed] = [0, 0];
      for (let a = 0; a < this.n; a++) {
        const isIn = d[a] > charge * v[a];
        if (isIn) chosen++;
        factors[a] = isIn ? 1 + e : 1;
        if (before && before[a] !== factors[a]) changed++;
      }
      if (chosen === 0 || chosen === this.n) break;
      course.push({ d, v, factors });
      same = changed ? 0 : same + 1;
      if (same >= settled) return this.recurring(course[course.length - 1]);
      [d, v] = [this.carried(d, factors), this.carried(v, factors)];
    }
    return course.length ? this.recurring(course[course.length >> 1]) : 0;
  }

  // Pᵀ of weights times factors.
  carried(weights, factors) {
    const [carried, masses] = [new Float64Array(this.n), this.masses.fill(0)];
    for (let a = 0; a < this.n; a++) masses[this.groupOf[a]] += weights[a] * factors[a];
    for (let b = 0, at = 0; b < this.n; b++)
      for (let group = 0; group < this.width; group++) carried[b] += masses[group] * this.columns[at++];
    return carried;
  }

  // The ratio of d and v, for the likelihood h that factors·P h is in proportion to.
  recurring({ d, v, factors }) {
    const { n, rows, groupOf, masses } = this;
    const set = factors.map((factor) => (factor > 1 ? 1 : 0)).join("");
    if (this.likelihoods.size > MOST_LIKELIHOODS) this.likelihoods.clear();
    if (!this.likelihoods.has(set)) this.likelihoods.set(set, new Float64Array(n).fill(1));
    const h = this.likelihoods.get(set); // that of another pair or budget is near
    for (let step = 0, moved = 1; step < MOST_HORIZON && moved > this.settled; step++) {
      let [most, scale] = [0, 1];
      for (let group = 0; group < rows.length; group++) {
        const row = rows[group];
        let mean = 0;
        for (let b = 0; b < n; b++) mean += row[b] * h[b];
        masses[group] = mean;
      }
      for (let a = 0; a < n; a++) most = Math.max(most, factors[a] * masses[groupOf[a]]);
      [moved, scale] = [0, 1 / most];
      for (let a = 0; a < n; a++) {
        const value = factors[a] * masses[groupOf[a]] * scale;
        moved = Math.max(moved, Math.abs(value - h[a]));
        h[a] = value;
      }
      if (step % SLOW === SLOW - 1 && n <= MOST_SOLVED) this.leap(factors, h, 1 / scale);
    }
    let [above, below] = [0, 0];
    for (let a = 0; a < n; a++) [above, below] = [above + d[a] * h[a], below + v[a] * h[a]];
    return above / SCALE / below;
  }

  // Noda's step, where h moves slowly: from h to the solution of (λ − factors·P)·z = h, with λ above the greatest root.
  leap(factors, h, root) {
    const { n, columns, groupOf, width } = this;
    const m = Array.from({ length: n }, (_, a) => Float64Array.from({ length: n + 1 }, (_, b) => (b < n ? -factors[a] * columns[width * b + groupOf[a]] : h[a])));
    let most = root;
    for (let a = 0; a < n; a++) if (h[a] > 0) most = Math.max(most, -m[a].reduce((sum, x, b) => (b < n ? sum + x * h[b] : sum), 0) / h[a]);
    for (let a = 0; a < n; a++) m[a][a] += most;
    for (let step = 0; step < n; step++) {
      const pivot = m[step];
      if (!(pivot[step] > 0)) return; // h is as near as doubles get
      for (let a = step + 1; a < n; a++) {
        const [row, share] = [m[a], m[a][step] / pivot[step]];
        if (share !== 0) for (let b = step + 1; b <= n; b++) row[b] -= share * pivot[b];
      }
    }
    for (let a = n - 1; a >= 0; a--) {
      for (let b = a + 1; b < n; b++) m[a][n] -= m[a][b] * m[b][n];
      m[a][n] /= m[a][a];
    }
    const greatest = m.reduce((found, row) => Math.max(found, row[n]), 0);
    if (greatest > 0 && greatest < Infinity) for (let a = 0; a < n; a++) h[a] = m[a][n] / greatest;
  }

  // As if ε were ∞ after as few releases as bound the ratio; the nearer ones raise it by no more than ε does.
  logRatioFar(j, k, epsilon) {
    for (let count = 0; count < MOST_HUGE; count++) {
      const ratio = new Integers(this, j, k, new Array(count).fill(HUGE)).ratio(0, true);
      if (ratio) return sumUp(level(ratio), ...new Array(count).fill(sumUp(epsilon, -HUGE)));
    }
    return Infinity;
  }

  // Whether 1 + x is certainly an upper bound of the ratio over any number of releases. What shrinks may take turns, so
  // that c is compared with itself some steps before: what these added is added again, shrunk, as often as they recur.
  keepsForEver(j, k, e, x, rest = Infinity) {
    if (!(x * SCALE < Infinity)) return false; // left to integers
    this.start(j, k, x);
    const most = x * SCALE;
    let [added, mark, addedThen] = [0, this.c.slice(), 0];
    for (let step = 1; step <= MOST_STEPS; step++) {
      const positive = this.positive();
      const loss = this.lost * (step + 4);
      if (positive === 0 || added + rest * positive <= most * (1 - loss)) return true;
      added += e * positive;
      this.back(e);
      const room = most * (1 - loss) - added;
      if (!(room >= 0)) return false;
      const share = shrinkage(mark, this.c);
      if (share < 1 - 2 ** -20 && (((added - addedThen) * share) / (1 - share)) * (1 + loss) + added * loss <= room) return true;
      if (isPowerOfTwo(step)) [mark, addedThen] = [this.c.slice(), added];
    }
    return false;
  }
}

const isPowerOfTwo = (step) => (step & (step - 1)) === 0;

// The least θ < 1 with c ≤ θ·before, ∞ where there is none.
function shrinkage(before, c) {
  let [least, most] = [0, Infinity];
  for (let a = 0; a < c.length; a++) {
    if (c[a] > 0 && c[a] > before[a]) return Infinity;
    if (before[a] > 0) least = Math.max(least, (c[a] / before[a]) * (1 + 2 ** -50));
    else if (before[a] < 0) most = Math.min(most, (c[a] / before[a]) * (1 - 2 ** -50));
  }
  return least <= most ? least : Infinity;
}

// The same in integers.
function keepsForEverExactly(integers, x) {
  let c = integers.start(x);
  let mark = c;
  const [growth] = integers.growth;
  for (let step = 1; step <= MOST_STEPS; step++) {
    if (c.every((value) => value <= 0n)) return true;
    const grown = integers.grown(c, growth);
    if (grown.reduce((sum, value) => sum + value) > 0n) return false;
    c = integers.back(grown);
    if (c.every((value, a) => value <= mark[a] - (mark[a] >> 40n))) return true;
    if (isPowerOfTwo(step)) mark = c;
  }
  return false;
}

// From what doubles found: first a little above it, then anew in integers over so many releases that it rises no more.
function limitExactly(side, j, k, epsilon, near) {
  for (let places = 256; places <= 4096; places *= 2) {
    const integers = new Integers(side, j, k, [epsilon]);
    const finer = places + Math.ceil(1.45 * epsilon + (near > 0 ? Math.max(0, -Math.log2(near)) : 1074));
    integers.prepare(finer);
    const scale = (x) => (exactly(x) << BigInt(finer)) >> 1074n;
    for (let pad = side.slack / 4; near > 0 && pad <= side.slack; pad *= 4)
      if (keepsForEverExactly(integers, scale(near * (1 + pad)))) return wideDouble(scale(near * (1 + pad)), integers.one, 1);
    let x = near > 0 ? scale(near * (1 - 2 ** -30)) : 0n;
    for (let horizon = 8; horizon <= MOST_HORIZON; horizon *= 2) {
      integers.growth = new Array(horizon).fill(integers.growth[0]);
      for (let better = integers.attained(x, false); better > x; better = integers.attained(x, false)) x = better;
      const above = x + (x >> 50n) + 1n;
      if (keepsForEverExactly(integers, above)) return wideDouble(above, integers.one, 1);
    }
    const little = integers.one >> BigInt(finer >> 1); // where nothing is attained
    if (x < little && finer > ENOUGH && keepsForEverExactly(integers, little)) return wideDouble(little, integers.one, 1);
  }
  return [1, 1e9];
}

// What the worst TPL rises to with one budget at every time; BPL or FPL where one correlation is known.
export class Supremum {
  // Args: an EndlessSide each, null for a correlation that is not known.
  constructor(past, future) {
    [this.past, this.future, this.worst] = [past, future, new Worst(past, future)];
  }

  // The log of a pair's product, rounded up, or any number at most `least` where it is not above that; ∞ where there is no bound.
  of(pair, epsilon, least) {
    if (!isBounded(this.past, epsilon) || !isBounded(this.future, epsilon)) return Infinity;
    const asked = endless(epsilon);
    for (const side of this.worst.sides) side.forget(0); // what is known of another budget
    return this.worst.above(pair, asked, asked, least);
  }

  // The greatest log of all pairs, at least `least`, and its pair, null for none above that.
  peak(epsilon, least = 0) {
    if (this.worst.n === 1 || epsilon === 0) return { level: 0, pair: null };
    if (!isBounded(this.past, epsilon) || !isBounded(this.future, epsilon)) return { level: Infinity, pair: this.worst.ranked[0] };
    const asked = endless(epsilon);
    for (const side of this.worst.sides) {
      side.forget(0);
      side.greatest(asked, epsilon);
    }
    this.worst.rank();
    const [level, pair] = this.worst.greatest(asked, asked, least);
    return { level, pair };
  }

  at(epsilon) {
    return this.worst.n === 1 ? 0 : sumUp(epsilon, this.peak(epsilon).level);
  }
}
