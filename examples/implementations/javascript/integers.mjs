// The sweep of one pair of values in integers of any length, where doubles lose too many digits (see sweep.mjs).

import { bitLength, exactly, excess, shifted, sumUp, wideDouble } from "./numbers.mjs";

const MOST_PLACES = 2 ** 16;
export const ENOUGH = 5000; // places, where an excess has hardly any bits

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
    const common = sumQ * sumD;
    this.gaps = chain.weights[q].map((x, b) => ceiling((x * sumD - chain.weights[d][b] * sumQ) << this.places, common));
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
      if (bitLength(x) < 80 && places < ENOUGH) continue;
      for (let shift = 60n; shift >= 44n; shift -= 4n) {
        const above = x + (x >> shift) + 1n;
        if (this.keeps(above, isEndless)) return wideDouble(above, this.one, 1);
      }
      const little = this.one >> BigInt(places >> 1); // where nothing is attained
      if (x < little && this.keeps(little, isEndless)) return wideDouble(little, this.one, 1);
    }
    return isEndless ? null : excess(sumUp(...this.epsilons));
  }
}

// The least integer that is not below n/d, d > 0.
function ceiling(n, d) {
  const whole = n / d; // towards 0
  return n > 0n && whole * d !== n ? whole + 1n : whole;
}
