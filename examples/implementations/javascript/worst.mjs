// The exact worst case over all mechanisms: what any stream of these budgets reveals at most, never below the truth.
//
// For values j, k and λ = 1 + x start with c = P_j − λP_k and go back through the releases, the nearest first:
// c ← Pᵀ(e^ε·c⁺ − c⁻). λ is an upper bound of the pair's ratio if and only if what was added, Σ (e^ε − 1)·Σ c⁺, is x at
// most. Pᵀ and the positive part are monotone, so c may be rounded up. The sets {c > 0} attain the ratio: λ is what they
// attain at the last λ, until it rises no more. Doubles as a rule; integers where they lose too many digits.

import {
  bitLength, exactly, excess, exponential, level, LEAST, SCALE, scaled, shifted, sumUp, U, wideDouble,
} from "./numbers.mjs";

const HUGE = 1600; // a budget that is as good as ∞, or whose ratio grows as e^ε
const MOST_ROUNDS = 1000;
const MOST_PLACES = 2 ** 16;

// One correlation, with what a sweep needs. slack: how far above what is attained a ratio may be, relatively.
export class Side {
  constructor(chain, slack = 2 ** -42) {
    [this.chain, this.n, this.slack] = [chain, chain.n, slack];
    this.count = chain.distinct.length;
    this.rows = chain.distinct.map((i) => chain.entries[i]);
    this.groupOf = Int32Array.from(chain.groupOf);
    this.lost = 1.1 * U * (2 * this.n + 16);
    [this.c, this.next, this.masses] = [this.n, this.n, this.count].map((size) => new Float64Array(size));
    this.sets = new Uint8Array(0);
    this.found = new Map(); // by pair: x at the last question
    this.differences = [];
    this.powers = new Map();
  }

  gaps(j, k) {
    const place = j * this.count + k;
    const [q, d] = [this.chain.distinct[j], this.chain.distinct[k]];
    this.differences[place] ??= Float64Array.from({ length: this.n }, (_, b) => this.chain.difference(q, d, b) * SCALE);
    return this.differences[place];
  }

  start(j, k, x) {
    const [gaps, below] = [this.gaps(j, k), this.rows[k]];
    for (let b = 0; b < this.n; b++) {
      const charged = x * below[b] * SCALE;
      this.c[b] = gaps[b] - charged + 8 * U * (Math.abs(gaps[b]) + charged);
    }
  }

  growth(epsilon, places) {
    const key = `${epsilon} ${places}`;
    if (!this.powers.has(key)) this.powers.set(key, exponential(epsilon, places) + 2n);
    return this.powers.get(key);
  }

  logFound(j, k) {
    return j === k ? 0 : Math.log1p(this.found.get(j * this.count + k) ?? 0);
  }

  // Whether the log of the pair's ratio is certainly at most `most`.
  isWithin(j, k, { excesses }, most) {
    return j === k || excesses.length === 0 || (most > 0 && this.keeps(j, k, excesses, lowerExcess(most)));
  }

  // One step back: what is added, and c ← Pᵀ(c + e·c⁺), both rounded up. Where sets are given, where c > 0.
  step(e, sets, place) {
    const { n, c, next, masses, groupOf, rows, lost } = this;
    let positive = 0;
    masses.fill(0);
    for (let a = 0; a < n; a++) {
      const value = c[a];
      if (value > 0) {
        positive += value;
        masses[groupOf[a]] += value * (1 + e) * (1 + lost);
      } else masses[groupOf[a]] += value * (1 - lost);
      if (sets) sets[place + a] = value > 0 ? 1 : 0;
    }
    if (positive === 0) return 0;
    next.fill(n * LEAST);
    for (let group = 0; group < this.count; group++) {
      const [mass, row] = [masses[group], rows[group]];
      if (mass !== 0) for (let b = 0; b < n; b++) next[b] += mass * row[b];
    }
    [this.c, this.next] = [next, c];
    return e * positive;
  }

  // Whether 1 + x is certainly an upper bound of the ratio. Args: e^ε − 1 rounded up, the nearest release first.
  keeps(j, k, excesses, x) {
    if (!(x * SCALE < Infinity)) return false; // left to integers
    this.start(j, k, x);
    let added = 0;
    const most = x * SCALE * (1 - this.lost * (excesses.length + 2));
    for (const e of excesses) {
      const more = this.step(e, null, 0);
      if (more === 0 && e !== 0) return true;
      added += more;
      if (!(added <= most)) return false;
    }
    return true;
  }

  // What the sets {c > 0} at 1 + x attain, less 1.
  attained(j, k, excesses, x) {
    const { n, groupOf, rows } = this;
    const count = excesses.length;
    if (this.sets.length < n * count) this.sets = new Uint8Array(2 * n * count);
    this.start(j, k, x);
    let depth = 0;
    while (depth < count && (this.step(excesses[depth], this.sets, n * depth) > 0 || excesses[depth] === 0)) depth++;
    const g = this.next.fill(0);
    const means = new Float64Array(this.count); // of the likelihood less 1
    for (let t = depth - 1; t >= 0; t--) {
      if (t < depth - 1)
        for (let group = 0; group < this.count; group++) {
          let mean = 0;
          for (let b = 0; b < n; b++) mean += rows[group][b] * g[b];
          means[group] = mean;
        }
      for (let a = 0; a < n; a++) {
        const mean = means[groupOf[a]];
        g[a] = this.sets[n * t + a] ? mean + excesses[t] * (1 + mean) : mean;
      }
    }
    const gaps = this.gaps(j, k);
    let [above, below] = [0, 1];
    for (let b = 0; b < n; b++) {
      above += (gaps[b] / SCALE) * g[b];
      below += rows[k][b] * g[b];
    }
    return above / below;
  }

  // What some sets attain, raised until it rises no more, from a start that may be above it or below.
  raised(j, k, excesses, start) {
    let x = start > 0 ? this.attained(j, k, excesses, start) : 0;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const better = this.attained(j, k, excesses, x);
      if (!(better > x * (1 + 2 ** -50))) break;
      x = better;
    }
    return x > 0 && x < Infinity ? x : 0;
  }

  // The log of the ratio of the groups j, k of rows, rounded up.
  logRatio(j, k, { epsilons, excesses }) {
    if (j === k || epsilons.length === 0) return 0;
    const far = epsilons.findIndex((epsilon) => epsilon > HUGE);
    if (far >= 0) return this.logRatioFar(j, k, epsilons, far);
    const key = j * this.count + k;
    const x = this.raised(j, k, excesses, this.found.get(key) ?? 0);
    this.found.set(key, x);
    for (let pad = 2 ** -50; pad <= this.slack; pad *= 2)
      if (this.keeps(j, k, excesses, x * (1 + pad))) return level([x * (1 + pad), 0]);
    return level(new Integers(this, j, k, epsilons).ratio(x, false));
  }

  // As if ε were ∞ at the place `far`, unless the ratio then is; otherwise it rises by no more than ε does.
  logRatioFar(j, k, epsilons, far) {
    const near = epsilons.slice(0, far);
    const ratio = new Integers(this, j, k, near).ratio(0, true);
    if (ratio) return level(ratio);
    const rest = [...near, HUGE, ...epsilons.slice(far + 1)];
    return sumUp(this.logRatio(j, k, question(rest)), sumUp(epsilons[far], -HUGE));
  }
}

// What a sweep asks about: the budgets, the nearest release first, and e^ε − 1 rounded up.
export function question(epsilons) {
  return { epsilons, excesses: epsilons.map((epsilon) => (epsilon > 0 ? upperExcess(epsilon) : 0)) };
}

export const lowerExcess = (level) => scaled(...excess(level, -1));
export const upperExcess = (epsilon) => (epsilon > HUGE ? Infinity : scaled(...excess(epsilon)));

// The sweep of one pair in integers over 2^places.
export class Integers {
  constructor(side, j, k, epsilons) {
    [this.side, this.j, this.k, this.epsilons] = [side, j, k, epsilons];
  }

  prepare(places) {
    const { chain } = this.side;
    [this.places, this.one, this.rows] = [BigInt(places), 1n << BigInt(places), chain.fixed(places)];
    this.growth = this.epsilons.map((epsilon) => this.side.growth(epsilon, places));
    const [q, d] = [chain.distinct[this.j], chain.distinct[this.k]];
    const [sumQ, sumD] = [chain.sums[q], chain.sums[d]];
    this.gaps = chain.weights[q].map((x, b) =>
      -(((chain.weights[d][b] * sumQ - x * sumD) << this.places) / (sumQ * sumD)) + 1n);
  }

  start(x) {
    return this.gaps.map((gap, b) => gap - ((x * this.rows[this.k].below[b]) >> this.places));
  }

  grown(c, growth) {
    return c.map((value) => (value > 0n ? ((growth * value) >> this.places) + 1n : value));
  }

  back(c) {
    const masses = new Array(this.side.count).fill(0n);
    for (const [a, value] of c.entries()) masses[this.side.groupOf[a]] += value;
    const next = new Array(c.length).fill(this.one - 1n);
    for (const [group, mass] of masses.entries()) {
      if (mass === 0n) continue;
      const row = mass > 0n ? this.rows[group].above : this.rows[group].below;
      for (let b = 0; b < next.length; b++) next[b] += mass * row[b];
    }
    return next.map((value) => value >> this.places);
  }

  // Whether 1 + x/2^places is an upper bound. isEndless: whatever was released before all these.
  keeps(x, isEndless) {
    let c = this.start(x);
    for (const growth of this.growth) {
      if (c.every((value) => value <= 0n)) return true;
      c = this.grown(c, growth);
      if (c.reduce((sum, value) => sum + value) > 0n) return false;
      c = this.back(c);
    }
    return !isEndless || c.every((value) => value <= 0n);
  }

  // What the sets at 1 + x/2^places attain, times 2^places, less that; null where it is ∞.
  attained(x, isEndless) {
    let c = this.start(x);
    const chosen = this.growth.map((growth) => {
      const set = c.map((value) => value > 0n);
      c = this.back(this.grown(c, growth));
      return set;
    });
    let f = c.map(() => this.one);
    if (isEndless) {
      const most = c.reduce((best, value, a) => (value > c[best] ? a : best), 0);
      if (c[most] <= 0n) return 0n;
      f = c.map((_, a) => (a === most ? this.one << this.places : 0n));
      if (!this.reaches(this.k, most)) return this.reaches(this.j, most) ? null : 0n;
    }
    for (let t = chosen.length - 1; t >= 0; t--) {
      const means = this.rows.map(({ below }) => this.dot(below, f));
      if (isEndless || t < chosen.length - 1) f = f.map((_, a) => means[this.side.groupOf[a]]);
      f = f.map((value, a) => (chosen[t][a] ? (value * this.growth[t]) >> this.places : value));
    }
    const below = this.dot(this.rows[this.k].below, f);
    return below > 0n ? (this.dot(this.gaps, f) << this.places) / below : 0n;
  }

  dot(row, f) {
    return row.reduce((sum, x, a) => sum + x * f[a], 0n) >> this.places;
  }

  // Whether the value `end` before all these releases is possible from a row.
  reaches(row, end) {
    let possible = this.rows[row].above.map((x) => x > 0n);
    for (let t = 0; t < this.growth.length; t++) {
      const before = possible;
      possible = before.map((_, b) => before.some((is, a) => is && this.rows[this.side.groupOf[a]].above[b] > 0n));
    }
    return possible[end];
  }

  // The ratio less 1 as [m, k], rounded up; null where it is ∞. Args: near, what doubles found, 0 for nothing.
  ratio(near, isEndless) {
    if (!isEndless && this.epsilons.every((epsilon) => epsilon === 0)) return [0, 0];
    const spent = this.epsilons.reduce((sum, epsilon) => sum + epsilon, 0);
    let places = 192 + Math.ceil(1.45 * spent + (near > 0 ? Math.max(0, -Math.log2(near)) : 0));
    for (; places <= MOST_PLACES; places *= 2) {
      this.prepare(places);
      let x = near > 0 ? this.attained(shifted(exactly(near), places - 1074), isEndless) : 0n;
      for (let better; x !== null; x = better) {
        better = this.attained(x, isEndless);
        if (better !== null && better <= x) break;
      }
      if (x === null) return null;
      if (bitLength(x) < 80 && places < 5000) continue;
      for (let shift = 60n; shift >= 44n; shift -= 4n) {
        const above = x + (x >> shift) + 1n;
        if (this.keeps(above, isEndless)) return wideDouble(above, this.one, 1);
      }
    }
    return isEndless ? null : excess(sumUp(...this.epsilons));
  }
}

// Both correlations of one adversary, null for one that is not known, and the pairs of values that matter.
export class Worst {
  constructor(past, future) {
    [this.past, this.future] = [past, future];
    this.n = (past ?? future)?.n ?? 2;
    const classes = new Map();
    for (let a = 0; a < this.n; a++) {
      const of = [past?.groupOf[a] ?? 0, future?.groupOf[a] ?? 0];
      if (!classes.has(of.join())) classes.set(of.join(), { of, value: a });
    }
    const all = [...classes.values()];
    this.pairs = all.flatMap((j) => all.filter((k) => k !== j).map((k) => ({ j, k })));
    this.orders = { bpl: [...this.pairs], fpl: [...this.pairs], tpl: [...this.pairs] };
  }

  // The greatest log of the product of both ratios of one pair, rounded up, and the pair; at least `least`.
  greatest(kind, before, after, least = 0) {
    const order = this.orders[kind];
    let [most, chosen] = [least, null];
    for (const pair of order) {
      const value = this.above(pair, before, after, most);
      if (value > most) [most, chosen] = [value, pair];
    }
    if (chosen) order.unshift(...order.splice(order.indexOf(chosen), 1));
    return [most, chosen];
  }

  // The log of a pair's product, or any number at most `most` where it is certainly not above that.
  above({ j, k }, before, after, most) {
    const [past, future] = [this.past && before, this.future && after];
    if (!past && !future) return 0;
    if (!past) return this.alone(this.future, j.of[1], k.of[1], after, most);
    if (!future) return this.alone(this.past, j.of[0], k.of[0], before, most);
    if (most > 0 && most < 500) {
      const [one, other] = [this.past.logFound(j.of[0], k.of[0]), this.future.logFound(j.of[1], k.of[1])];
      const share = one + (most - one - other) / 2;
      if (share >= one && this.past.isWithin(j.of[0], k.of[0], before, share)
        && this.future.isWithin(j.of[1], k.of[1], after, -sumUp(share, -most))) return most;
    }
    const first = this.past.logRatio(j.of[0], k.of[0], before);
    const rest = -sumUp(first, -most);
    if (rest >= 0 && rest < 500 && this.future.isWithin(j.of[1], k.of[1], after, rest)) return most;
    return sumUp(first, this.future.logRatio(j.of[1], k.of[1], after));
  }

  alone(side, j, k, asked, most) {
    if (most > 0 && most < 500 && side.isWithin(j, k, asked, most)) return most;
    return side.logRatio(j, k, asked);
  }
}

// The exact worst case of BPL, FPL and TPL at every time, and the pairs of values that attain TPL.
export function worstLeakage(worst, epsilons) {
  const found = { bpl: [], fpl: [], tpl: [], pairs: [] };
  if (worst.n === 1) return { bpl: epsilons.map(() => 0), fpl: epsilons.map(() => 0), tpl: epsilons.map(() => 0), pairs: [] };
  for (const [t, epsilon] of epsilons.entries()) {
    const [before, after] = [question(epsilons.slice(0, t).reverse()), question(epsilons.slice(t + 1))];
    const add = (log) => sumUp(epsilon, log);
    found.bpl.push(add(worst.greatest("bpl", before, null)[0]));
    found.fpl.push(add(worst.greatest("fpl", null, after)[0]));
    const [log, pair] = worst.greatest("tpl", before, after);
    found.tpl.push(add(log));
    found.pairs.push(pair);
  }
  return found;
}
