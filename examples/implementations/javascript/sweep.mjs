// The sweep of one correlation for a pair of values j, k: what releases on one side of a time reveal at most about it.
//
// For λ = 1 + x start with c = P_j − λP_k and go back through the releases, the nearest first: c ← Pᵀ(e^ε·c⁺ − c⁻). λ is
// an upper bound of the pair's ratio if and only if what was added, Σ (e^ε − 1)·Σ c⁺, is x at most. Pᵀ and the positive
// part are monotone, so c may be rounded up. The sets {c > 0} attain the ratio: λ is what they attain at the last λ,
// until it rises no more. Doubles as a rule; integers where they lose too many digits.

import { excess, exponential, level, LEAST, SCALE, scaled, sumUp, U } from "./numbers.mjs";
import { Integers } from "./integers.mjs";

export const HUGE = 1600; // a budget that is as good as ∞, or whose ratio grows as e^ε
const MOST_ROUNDS = 1000;
const LARGE = 2 ** 400;
const BLOCK = 16; // terms of a sum are added in four lots in each, so that few roundings meet

// One correlation, with what a sweep needs. slack: how far above what is attained a ratio may be, relatively.
export class Side {
  constructor(chain, slack = 2 ** -42) {
    [this.chain, this.n, this.slack] = [chain, chain.n, slack];
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
    this.found = []; // by pair, by the number of releases: x at the last question
    this.differences = [];
    this.powers = new Map();
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

  growth(epsilon, places) {
    const key = `${epsilon} ${places}`;
    if (!this.powers.has(key)) this.powers.set(key, exponential(epsilon, places) + 2n);
    return this.powers.get(key);
  }

  // One step back: what is added, and c ← Pᵀ(c + e·c⁺), both rounded up.
  step(e) {
    const { c, next, masses, others: lows, columns, groupOf, width } = this;
    const [grown, shrunk] = [(1 + e) * (1 + this.lost), 1 - this.lost];
    let [positive, rest] = [0, 0];
    masses.fill(0);
    lows.fill(0);
    for (let a = 0; a < c.length; a++) {
      const value = c[a];
      if (value > 0) {
        const whole = positive + value;
        const part = whole - positive;
        rest += positive - (whole - part) + (value - part); // what is lost is exact, by Knuth
        positive = whole;
      }
      const [group, term] = [groupOf[a], value * (value > 0 ? grown : shrunk)];
      const sum = masses[group] + term;
      const second = sum - masses[group];
      lows[group] += masses[group] - (sum - second) + (term - second);
      masses[group] = sum;
    }
    if (positive === 0) return 0;
    for (let group = 0; group < width; group++) masses[group] += lows[group];
    for (let b = 0, at = 0; b < c.length; b++) {
      let sum = c.length * LEAST;
      for (let from = 0; from < width; from += BLOCK) {
        const to = Math.min(from + BLOCK, width);
        let [first, second, third, fourth] = [0, 0, 0, 0];
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
    return e * (positive + rest);
  }

  // Whether 1 + x is certainly an upper bound of the ratio. Args: e^ε − 1 rounded up, the nearest release first.
  keeps(j, k, excesses, x) {
    if (!(x * SCALE < Infinity)) return false; // left to integers
    this.start(j, k, x);
    let added = 0;
    const most = x * SCALE * (1 - this.lost * (excesses.length + 2));
    for (let t = 0; t < excesses.length; t++) {
      const more = this.step(excesses[t]);
      if (more === 0 && excesses[t] !== 0) return true;
      added += more;
      if (!(added <= most)) return false;
    }
    return true;
  }

  // What the sets of the sweep at 1 + x attain, less 1: P_j − P_k and P_k, carried through the releases about them, are
  // d and v. Args: ratios, to be filled with it by number of releases; sets, with them.
  attained(j, k, excesses, x, { ratios, sets } = {}) {
    const { columns, groupOf, masses, others, n, d, v } = this;
    const charge = x * SCALE;
    d.set(this.gaps(j, k));
    v.set(this.rows[k]);
    let [above, below] = [0, 1];
    for (let t = 0; t < excesses.length; t++) {
      const e = excesses[t];
      let more = 0;
      let mass = 0;
      let chosen = 0;
      masses.fill(0);
      others.fill(0);
      for (let a = 0; a < n; a++) {
        const share = d[a] > charge * v[a] ? e : 0;
        const group = groupOf[a];
        const [first, second] = [share * d[a], share * v[a]];
        more += first;
        mass += second;
        masses[group] += d[a] + first;
        others[group] += v[a] + second;
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
      for (let b = 0, at = 0; b < n; b++) {
        let [first, second, third, fourth] = [0, 0, 0, 0];
        for (let group = 0; group < masses.length; group += 2, at += 2) {
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
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const better = this.attained(j, k, excesses, x, asked);
      if (!(better > x * (1 + rise))) break;
      x = better;
    }
    return x > 0 && x < Infinity ? x : 0;
  }

  // What is known of a pair's ratio less 1 over so many releases, or over the nearest number that was asked for.
  guess(j, k, count) {
    const known = this.found[j * this.count + k];
    if (!known) return 0;
    for (let fewer = count; fewer > 0; fewer--) if (known[fewer] > 0) return known[fewer];
    return known.find((x) => x > 0) ?? 0;
  }

  note(j, k, count, x) {
    (this.found[j * this.count + k] ??= [])[count] = x;
    return x;
  }

  // Guesses for up to so many releases with one budget: what the sets for some numbers of them attain over others.
  survey(j, k, excesses) {
    const known = (this.found[j * this.count + k] ??= [0]);
    const ratios = new Float64Array(excesses.length);
    for (const count of quarterings(excesses.length)) {
      if (j === k || count < known.length) continue;
      this.raised(j, k, excesses.subarray(0, count), this.guess(j, k, count), { ratios }, 2 ** -6);
      for (let t = 0; t < count; t++) known[t + 1] = Math.max(known[t + 1] ?? 0, ratios[t]);
    }
  }

  logGuess(j, k, count) {
    return j === k || count === 0 ? 0 : Math.log1p(this.guess(j, k, count));
  }

  // Whether the log of the pair's ratio is certainly at most `most`.
  isWithin(j, k, { excesses }, most) {
    if (j === k || excesses.length === 0) return most >= 0;
    return most > 0 && most < 500 && this.keeps(j, k, excesses, lowerExcess(most));
  }

  // The log of the ratio of the groups j, k of rows, rounded up.
  logRatio(j, k, { epsilons, excesses }) {
    const count = epsilons.length;
    if (j === k || count === 0) return 0;
    const far = epsilons.findIndex((epsilon) => epsilon > HUGE);
    if (far >= 0) return this.logRatioFar(j, k, epsilons, far);
    let x = this.guess(j, k, count);
    for (const rise of [Math.sqrt(this.slack) / 8, 2 ** -50]) {
      x = this.note(j, k, count, this.raised(j, k, excesses, x, {}, rise));
      const least = Math.max(this.slack / 64, this.lost * (count + 4));
      for (const pad of [least, Math.sqrt(least * this.slack), this.slack])
        if (pad <= this.slack && this.keeps(j, k, excesses, x * (1 + pad))) return level([x * (1 + pad), 0]);
    }
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

// A number, quartered as long as it is above 0, by size.
const quarterings = (count) => (count ? [...quarterings(count >> 2), count] : []);

// What a sweep asks about: the budgets, the nearest release first, and e^ε − 1 rounded up.
export function question(epsilons) {
  return { epsilons, excesses: Float64Array.from(epsilons, (epsilon) => (epsilon > 0 ? upperExcess(epsilon) : 0)) };
}

export const lowerExcess = (level) => scaled(...excess(level, -1));
export const upperExcess = (epsilon) => (epsilon > HUGE ? Infinity : scaled(...excess(epsilon)));
