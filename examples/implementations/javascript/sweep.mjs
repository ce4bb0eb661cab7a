// The sweep of one correlation for a pair of values j, k: what releases on one side of a time reveal at most about it.
//
// For λ = 1 + x start with c = P_j − λP_k and go back through the releases, the nearest first: c ← Pᵀ(e^ε·c⁺ − c⁻). λ is
// an upper bound of the pair's ratio if and only if what was added, Σ (e^ε − 1)·Σ c⁺, is x at most. Pᵀ and the positive
// part are monotone, so c may be rounded up. The sets {c > 0} attain the ratio: λ is what they attain at the last λ,
// until it rises no more. Doubles as a rule; integers where they lose too many digits.

import { SCALE, U } from "./numbers.mjs";

const MOST_ROUNDS = 1000;
const RISING = 2 ** -30;
const LARGE = 2 ** 400;
const NORMAL = 2 ** -1022; // above what all products of one sum lose below it, and added without the delay of lesser doubles
const BLOCK = 16; // terms of a sum are added in four lots in each, so that few roundings meet

// One correlation, with what a sweep needs. slack: how far above what is attained a ratio may be, relatively.
export class Sweep {
  constructor(whole, slack = 2 ** -42) {
    const chain = whole.lumped();
    [this.whole, this.chain, this.n, this.slack] = [whole, chain, chain.n, slack];
    this.count = chain.distinct.length;
    this.rows = chain.distinct.map((i) => chain.entries[i]);
    this.width = 4 * Math.ceil(this.count / 4);
    this.columns = new Float64Array(this.n * this.width); // of the distinct rows and zeros, one after the other
    for (let b = 0; b < this.n; b++) for (const [group, row] of this.rows.entries()) this.columns[this.width * b + group] = row[b];
    this.groupOf = Int32Array.from(chain.groupOf);
    const roundings = 2 + Math.ceil(this.width / BLOCK) + (chain.isExact ? 10 : 13);
    this.lost = 1.05 * U * roundings; // relatively, in one step back
    [this.c, this.next, this.d, this.v] = [0, 1, 2, 3].map(() => new Float64Array(this.n));
    [this.masses, this.others] = [0, 1].map(() => new Float64Array(this.width));
    this.differences = [];
  }

  // The differences of two rows, times 2^512.
  gaps(j, k) {
    const place = j * this.count + k;
    const [q, d] = [this.chain.distinct[j], this.chain.distinct[k]];
    this.differences[place] ??= Float64Array.from({ length: this.n }, (_, b) => this.chain.difference(q, d, b) * SCALE);
    return this.differences[place];
  }

  start(j, k, x) {
    const [gaps, below, c] = [this.gaps(j, k), this.rows[k], this.c];
    for (let b = 0; b < c.length; b++) {
      const charged = x * below[b] * SCALE;
      c[b] = gaps[b] - charged + 8 * U * (Math.abs(gaps[b]) + charged);
    }
  }

  // Σ c⁺. What a sum of doubles loses is exact, by Knuth.
  positive() {
    const { c } = this;
    let [sum, lost] = [0, 0];
    for (let a = 0; a < c.length; a++) {
      const value = c[a];
      if (!(value > 0)) continue;
      const whole = sum + value;
      const part = whole - sum;
      lost += sum - (whole - part) + (value - part);
      sum = whole;
    }
    return sum + lost;
  }

  // One step back: c ← Pᵀ(c + e·c⁺), rounded up.
  back(e) {
    const { c, next, masses, others: lows, columns, groupOf, width } = this;
    const [grown, shrunk] = [(1 + e) * (1 + this.lost), 1 - this.lost];
    if (this.count < this.n) {
      masses.fill(0);
      lows.fill(0);
      for (let a = 0; a < c.length; a++) {
        const [group, term] = [groupOf[a], c[a] * (c[a] > 0 ? grown : shrunk)];
        const sum = masses[group] + term;
        const second = sum - masses[group];
        lows[group] += masses[group] - (sum - second) + (term - second);
        masses[group] = sum;
      }
      for (let group = 0; group < width; group++) masses[group] += lows[group];
    } else for (let a = 0; a < c.length; a++) masses[a] = c[a] * (c[a] > 0 ? grown : shrunk);
    for (let b = 0, at = 0; b < c.length; b++) {
      let sum = NORMAL;
      for (let from = 0; from < width; from += BLOCK) {
        const to = from + BLOCK < width ? from + BLOCK : width;
        let first = 0, second = 0, third = 0, fourth = 0;
        for (let group = from; group < to; group += 4, at += 4) {
          first += masses[group] * columns[at];
          second += masses[group + 1] * columns[at + 1];
          third += masses[group + 2] * columns[at + 2];
          fourth += masses[group + 3] * columns[at + 3];
        }
        sum += first + second + (third + fourth);
      }
      next[b] = sum;
    }
    [this.c, this.next] = [next, c];
  }

  // Whether 1 + x is certainly an upper bound of the ratio. Args: excesses, e^ε − 1 rounded up, the nearest release
  // first; rests, what is known of the releases farther off, so that the sweep need not go through them: c·f for a
  // likelihood f whose ratios are at most 1 + rest is at most min f·(Σ c + rest·Σ c⁺).
  keeps(j, k, excesses, x, rests = null) {
    if (!(x * SCALE < Infinity)) return false; // left to integers
    this.start(j, k, x);
    let added = 0;
    const most = x * SCALE * (1 - this.lost * (excesses.length + 2));
    for (let t = 0; t < excesses.length; t++) {
      const positive = this.positive();
      if (positive === 0 || (rests && added + rests[excesses.length - t] * positive <= most)) return true;
      added += excesses[t] * positive;
      if (!(added <= most)) return false;
      this.back(excesses[t]);
    }
    return true;
  }

  // An x for which `keeps` holds before its first step back, about the least one; ∞ where doubles find none.
  glance(j, k, rest) {
    if (j === k) return 0;
    const [gaps, below] = [this.gaps(j, k), this.rows[k]];
    let [x, better] = [0, 0];
    do {
      x = better;
      let [gap, mass] = [0, 1 / rest];
      for (let b = 0; b < this.n; b++) if (gaps[b] > x * SCALE * below[b]) [gap, mass] = [gap + gaps[b], mass + below[b]];
      better = gap / SCALE / mass;
    } while (better > x * (1 + RISING));
    x = Math.max(x, better) * (1 + 2 * RISING);
    this.start(j, k, x);
    return rest * this.positive() <= x * SCALE * (1 - 2 * this.lost) ? x : Infinity;
  }

  // What the sets of the sweep at 1 + x attain, less 1: P_j − P_k and P_k, carried through the releases about them, are
  // d and v. Args: ratios, to be filled with it by number of releases; sets, with them.
  attained(j, k, excesses, x, { ratios, sets } = {}) {
    const { columns, groupOf, masses, others, n, count, width, d, v } = this;
    const charge = x * SCALE;
    d.set(this.gaps(j, k));
    v.set(this.rows[k]);
    let [above, below] = [0, 1];
    for (let t = 0; t < excesses.length; t++) {
      const e = excesses[t];
      let more = 0;
      let mass = 0;
      let chosen = 0;
      if (count < n) {
        masses.fill(0);
        others.fill(0);
      }
      for (let a = 0; a < n; a++) {
        const share = d[a] > charge * v[a] ? e : 0;
        const first = share * d[a];
        const second = share * v[a];
        more += first;
        mass += second;
        if (count < n) {
          masses[groupOf[a]] += d[a] + first;
          others[groupOf[a]] += v[a] + second;
        } else {
          masses[a] = d[a] + first;
          others[a] = v[a] + second;
        }
        if (share > 0) chosen++;
        if (sets && share > 0) sets[n * t + a] = 1;
      }
      above += more;
      below += mass;
      const ratio = above / SCALE / below;
      if (!sets && e > 0 && (chosen === 0 || chosen === n)) {
        ratios?.fill(ratio, t, excesses.length); // so are all sets farther off: none of them changes the ratio
        return ratio;
      }
      if (ratios) ratios[t] = ratio;
      for (let b = 0; b < n; b++) {
        let [first, second, third, fourth] = [0, 0, 0, 0];
        for (let group = 0, at = b * width; group < count; group += 2, at += 2) {
          first += masses[group] * columns[at];
          second += others[group] * columns[at];
          third += masses[group + 1] * columns[at + 1];
          fourth += others[group + 1] * columns[at + 1];
        }
        d[b] = first + third;
        v[b] = second + fourth;
      }
      if (below > LARGE) {
        [above, below] = [above / LARGE, below / LARGE];
        for (let a = 0; a < n; a++) [d[a], v[a]] = [d[a] / LARGE, v[a] / LARGE];
      }
    }
    return above / SCALE / below;
  }

  // What some sets attain, raised until it rises no more, from a start that may be above it or below.
  raised(j, k, excesses, start, asked = {}, rise = 2 ** -50) {
    let x = start > 0 ? this.attained(j, k, excesses, start, asked) : 0;
    if (x > 0 && Math.abs(x - start) <= x * rise) return x;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const better = this.attained(j, k, excesses, x, asked);
      if (!(better > x * (1 + rise))) break;
      x = better;
    }
    return x > 0 && x < Infinity ? x : 0;
  }
}
