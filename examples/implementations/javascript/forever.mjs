// The exact worst case over an infinite horizon, and the greatest budgets that keep it at most a level.
//
// It is bounded if and only if one class of values is closed and aperiodic, and e^ε·ρ < 1 for the spectral radius ρ of
// the others. A λ is above the ratio of any number of releases if the sweep from it ends with no c above 0, or shrinks by
// one factor, c' ≤ θ·c: Pᵀ and the positive part are monotone and homogeneous.

import {
  exponential, level, nextDown, ofBits, refuseIf, SCALE, sumDown, sumUp, toBits, wideDouble, exactly,
} from "./numbers.mjs";
import { Integers, lowerExcess, question, upperExcess, Worst } from "./worst.mjs";

const HUGE = 1600; // as in worst.mjs
const MOST_HORIZON = 2 ** 12;
const MOST_STEPS = 20000;
const MOST_HUGE = 12;
const MOST_PIVOT_PLACES = 5000;
const MOST_LEVELS = 200;
const NEARLY = 2 ** -44; // of itself, a budget may be below the greatest
const SMALL = 2 ** -900; // a level whose budget is found by halving

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

// Whether 1 + x is an upper bound of the ratio over any number of releases, in doubles.
function keepsForEver(side, j, k, e, x) {
  if (!(x * SCALE < Infinity)) return false; // left to integers
  side.start(j, k, x);
  const most = x * SCALE;
  let added = 0;
  for (let step = 1; step <= MOST_STEPS; step++) {
    const before = Float64Array.from(side.c);
    const more = side.step(e, null, 0);
    if (more === 0) return true;
    added += more;
    const room = most * (1 - side.lost * (step + 2)) - added;
    if (!(room >= 0)) return false;
    const [share, positive] = shrinkage(before, side.c);
    if (share < 1 - 2 ** -20 && (e * positive * (1 + side.lost)) / (1 - share) <= room * (1 - side.lost)) return true;
  }
  return false;
}

// The least factor by which c has shrunk, ∞ where it has not, and its sum above 0.
function shrinkage(before, c) {
  let [share, positive] = [0, 0];
  for (let a = 0; a < c.length; a++) {
    if (c[a] > 0) positive += c[a];
    if (before[a] > 0) share = Math.max(share, c[a] / before[a]);
    else if (c[a] > before[a]) return [Infinity, 0];
  }
  return [share * (1 + 2 ** -50), positive];
}

// The same in integers.
function keepsForEverExactly(integers, x) {
  let c = integers.start(x);
  const [growth] = integers.growth;
  for (let step = 0; step < MOST_STEPS; step++) {
    if (c.every((value) => value <= 0n)) return true;
    const grown = integers.grown(c, growth);
    if (grown.reduce((sum, value) => sum + value) > 0n) return false;
    const next = integers.back(grown);
    if (next.every((value, a) => value <= c[a] - (c[a] >> 40n))) return true;
    c = next;
  }
  return false;
}

// The log of the ratio of a pair over any number of releases, rounded up.
function logLimit(side, j, k, { epsilon, e }) {
  if (j === k || epsilon === 0) return 0;
  if (epsilon > HUGE) return logLimitFar(side, j, k, epsilon);
  const key = j * side.count + k;
  let x = side.found.get(key) ?? 0;
  for (let horizon = 8; horizon <= MOST_HORIZON; horizon *= 2) {
    const last = x;
    x = side.raised(j, k, new Float64Array(horizon).fill(e), x);
    if (x <= last * (1 + 2 ** -50) && last > 0 && horizon > 8) break;
  }
  side.found.set(key, x);
  for (let pad = 2 ** -50; pad <= side.slack; pad *= 2)
    if (keepsForEver(side, j, k, e, x * (1 + pad))) return level([x * (1 + pad), 0]);
  return level(limitExactly(side, j, k, epsilon, x));
}

// From what doubles found: first a little above it, then anew in integers over so many releases that it rises no more.
function limitExactly(side, j, k, epsilon, near) {
  for (let places = 256; places <= 4096; places *= 2) {
    const integers = new Integers(side, j, k, [epsilon]);
    const finer = places + Math.ceil(1.45 * epsilon + (near > 0 ? Math.max(0, -Math.log2(near)) : 1074));
    integers.prepare(finer);
    const scale = (x) => (exactly(x) << BigInt(finer)) >> 1074n;
    for (let pad = 2 ** -50; near > 0 && pad <= side.slack; pad *= 2)
      if (keepsForEverExactly(integers, scale(near * (1 + pad)))) return wideDouble(scale(near * (1 + pad)), integers.one, 1);
    let x = near > 0 ? scale(near * (1 - 2 ** -30)) : 0n;
    for (let horizon = 8; horizon <= MOST_HORIZON; horizon *= 2) {
      integers.growth = new Array(horizon).fill(integers.growth[0]);
      for (let better = integers.attained(x, false); better > x; better = integers.attained(x, false)) x = better;
      const above = x + (x >> 50n) + 1n;
      if (keepsForEverExactly(integers, above)) return wideDouble(above, integers.one, 1);
    }
  }
  return [1, 1e9];
}

// As if ε were ∞ after as few releases as bound the ratio; the nearer ones raise it by no more than ε does.
function logLimitFar(side, j, k, epsilon) {
  for (let count = 0; count < MOST_HUGE; count++) {
    const ratio = new Integers(side, j, k, new Array(count).fill(HUGE)).ratio(0, true);
    if (ratio) return sumUp(level(ratio), ...new Array(count).fill(sumUp(epsilon, -HUGE)));
  }
  return Infinity;
}

// A question about any number of releases, put to both sides as `Worst` puts one about some.
class ForEver extends Worst {
  alone(side, j, k, asked, most) {
    if (this.isWithin(side, j, k, asked, most)) return most;
    return logLimit(side, j, k, asked);
  }

  isWithin(side, j, k, { e, epsilon }, most) {
    return j === k || (most > 0 && most < 500 && epsilon < HUGE && keepsForEver(side, j, k, e, lowerExcess(most)));
  }

  above({ j, k }, before, after, most) {
    if (!this.past || !this.future) return super.above({ j, k }, before, after, most);
    const [one, other] = [this.past.logFound(j.of[0], k.of[0]), this.future.logFound(j.of[1], k.of[1])];
    const share = one + (most - one - other) / 2;
    if (most > 0 && share > one && this.isWithin(this.past, j.of[0], k.of[0], before, share)
      && this.isWithin(this.future, j.of[1], k.of[1], after, -sumUp(share, -most))) return most;
    return sumUp(logLimit(this.past, j.of[0], k.of[0], before), logLimit(this.future, j.of[1], k.of[1], after));
  }
}

// What the worst TPL rises to with ε at every time; BPL or FPL where one correlation is known. And the pair.
export function worstSupremum(past, future, epsilon) {
  const worst = new ForEver(past, future);
  if (worst.n === 1 || epsilon === 0) return [0, null];
  if (!isBounded(past, epsilon) || !isBounded(future, epsilon)) return [Infinity, null];
  const asked = { epsilon, e: upperExcess(epsilon) };
  const [log, pair] = worst.greatest("tpl", asked, asked);
  return [sumUp(epsilon, log), pair];
}

// The greatest worst TPL over so many releases with one budget.
export function worstOver(worst, epsilon, horizon) {
  if (worst.n === 1) return 0;
  let most = 0;
  const times = [...Array(horizon).keys()].sort((s, t) => Math.abs(2 * s + 1 - horizon) - Math.abs(2 * t + 1 - horizon));
  for (const t of times) {
    const [before, after] = [t, horizon - 1 - t].map((count) => question(new Array(count).fill(epsilon)));
    [most] = worst.greatest("tpl", before, after, most);
  }
  return sumUp(epsilon, most);
}

// The greatest budget of every release that keeps the worst TPL at most α, rounded down. Args: horizon, null for ever.
export function worstBudget(past, future, alpha, horizon) {
  const isPossible = alpha > 0 && (horizon !== null || (forgets(past) && forgets(future)));
  refuseIf(!isPossible, "InfeasibleBudget", "no budget keeps the level at all times");
  const worst = new Worst(past, future);
  if (worst.n === 1) return Infinity;
  const levelOf = (epsilon) =>
    horizon === null ? worstSupremum(past, future, epsilon)[0] : worstOver(worst, epsilon, horizon);
  if (levelOf(alpha) <= alpha) return alpha;
  return alpha < SMALL ? halved(levelOf, alpha) : closest(levelOf, alpha);
}

function halved(levelOf, alpha) {
  let [low, high] = [0n, toBits(alpha)];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (levelOf(ofBits(middle)) <= alpha) low = middle;
    else high = middle;
  }
  return ofBits(low);
}

// Regula falsi; an end that stays twice counts half. A level rises at least as fast as its budget.
function closest(levelOf, alpha) {
  let [low, below, high, above, wasLow] = [0, alpha, alpha, levelOf(alpha) - alpha, null];
  for (let count = 0; count < MOST_LEVELS; count++) {
    const share = above < Infinity ? below / (below + above) : 0.5;
    const middle = low + (high - low) * share;
    if (middle <= low || middle >= high) return low > 0 ? low : nextDown(high);
    const left = sumDown(alpha, -levelOf(middle));
    const room = middle * NEARLY;
    if (left >= 0 && left <= room) return middle;
    if (left > 0) [low, below, above] = [middle, Math.max(left - room / 2, room / 4), wasLow === true ? above / 2 : above];
    else [high, above, below] = [middle, room / 2 - left, wasLow === false ? below / 2 : below];
    wasLow = left > 0;
  }
  return low;
}
