// The exact worst case over all mechanisms: what any stream of these budgets reveals at most, never below the truth. At
// each time it is the own budget, and the greatest product of the ratios of one pair of values before it and after it.

import { sumUp } from "./numbers.mjs";
import { question, upperExcess } from "./side.mjs";

// Both correlations of one adversary, null for one that is not known, and the pairs of values that matter.
export class Worst {
  constructor(past, future) {
    [this.past, this.future] = [past, future];
    this.sides = [past, future].filter(Boolean);
    this.slack = Math.max(0, ...this.sides.map((side) => side.slack)) / 8; // added, relatively, to a peak, so that times that are nearly equal are excluded
    this.n = (past ?? future)?.whole.n ?? 2;
    const classes = new Map();
    for (let a = 0; a < this.n; a++) {
      const of = [past, future].map((side) => side?.whole.groupOf[a] ?? 0);
      if (!classes.has(of.join())) classes.set(of.join(), { of, value: a });
    }
    const all = [...classes.values()];
    this.ranked = all.flatMap((j) => all.filter((k) => k !== j).map((k) => ({ j, k, most: Infinity })));
  }

  // The pairs in the order of the upper bounds that follow from `rests` of both sides, over all numbers of releases.
  rank() {
    const [past, future] = [this.past, this.future].map((side) => side?.logGlances());
    for (const pair of this.ranked) {
      const [[, j, k], [, l, m]] = this.sidesOf(pair, true, true);
      pair.most = sumUp(past ? past[j * this.past.count + k] : 0, future ? future[l * this.future.count + m] : 0);
    }
    this.ranked.sort((one, other) => other.most - one.most);
  }

  // The pair that was the greatest last, then all others.
  inOrder() {
    return this.lead ? [this.lead, ...this.ranked.filter((pair) => pair !== this.lead)] : this.ranked;
  }

  // The greatest log of the product of both ratios of one pair, rounded up, and the pair; at least `least`.
  greatest(before, after, least = 0) {
    let [most, chosen] = [least, null];
    for (const pair of this.inOrder()) {
      if (pair.most <= most && pair !== this.lead) break;
      const value = this.above(pair, before, after, most);
      if (value > most) [most, chosen] = [value, pair];
    }
    this.lead = chosen ?? this.lead; // asked about first the next time
    return [most, chosen];
  }

  // The log of a pair's product, or any number at most `most` where it is certainly not above that.
  above(pair, before, after, most) {
    if (most > 0 && this.isWithin(pair, before, after, most)) return most;
    const [[past, j, k], [future, l, m]] = this.sidesOf(pair, before, after);
    const first = past ? past.logRatio(j, k, before) : 0;
    if (!future) return first;
    if (past && future.isWithin(l, m, after, -sumUp(first, -most))) return most;
    return sumUp(first, future.logRatio(l, m, after));
  }

  // Whether a pair's product is certainly at most e^most, by a share of it for each side.
  isWithin(pair, before, after, most) {
    const [[past, j, k], [future, l, m]] = this.sidesOf(pair, before, after);
    if (!past || !future) return past ? past.isWithin(j, k, before, most) : !future || future.isWithin(l, m, after, most);
    const [one, other] = [past.logGuess(j, k, countOf(before)), future.logGuess(l, m, countOf(after))];
    const part = one + other < Infinity ? one / (one + other || 1) : 0.5;
    const share = most * part;
    return past.isWithin(j, k, before, share) && future.isWithin(l, m, after, -sumUp(share, -most));
  }

  sidesOf({ j, k }, before, after) {
    return [[before && this.past, j.of[0], k.of[0]], [after && this.future, j.of[1], k.of[1]]];
  }

  // The greatest log of the products at all times with one budget throughout, rounded up, its pair and time. A ratio
  // over more releases is not less, so that many times are answered by one question. At least `least`, without a pair. Args: of, as `evenly` has it.
  peak(of, count, least = 0) {
    const found = { level: least, pair: null, time: null };
    const all = of(count - 1);
    for (const pair of this.inOrder()) {
      if (pair.most <= found.level && pair !== this.lead) break;
      if (this.isWithin(pair, all, all, found.level)) continue;
      this.survey(pair, all);
      const start = this.likeliest(pair, of, count);
      if (start.guess > found.level) this.climb(pair, start.time, start.time, found, of, count);
      this.climb(pair, 0, count - 1, found, of, count);
    }
    this.lead = found.pair ?? this.lead;
    return found;
  }

  survey(pair, { excesses }) {
    const [[past, j, k], [future, l, m]] = this.sidesOf(pair, true, true);
    past?.survey(j, k, excesses);
    future?.survey(l, m, excesses);
  }

  climb(pair, first, last, found, of, count) {
    const [before, after] = [of(last), of(count - 1 - first)];
    if (this.isWithin(pair, before, after, found.level)) return;
    if (first < last) {
      const middle = (first + last) >> 1;
      this.climb(pair, first, middle, found, of, count);
      this.climb(pair, middle + 1, last, found, of, count);
    } else {
      const level = this.above(pair, before, after, found.level);
      if (level > found.level) Object.assign(found, { level: level * (1 + this.slack), pair, time: first });
    }
  }

  likeliest(pair, of, count) {
    const best = { guess: -1, time: 0 };
    for (let time = 0; time < count; time++) {
      const guess = this.guess(pair, of(time), of(count - 1 - time));
      if (guess > best.guess) Object.assign(best, { guess, time });
    }
    return best;
  }

  guess(pair, before, after) {
    const [[past, j, k], [future, l, m]] = this.sidesOf(pair, before, after);
    return (past ? past.logGuess(j, k, countOf(before)) : 0) + (future ? future.logGuess(l, m, countOf(after)) : 0);
  }
}

const countOf = (asked) => asked.epsilons.length;
const part = ({ epsilons, excesses }, first) => ({ epsilons: epsilons.slice(first), excesses: excesses.subarray(first) });

// Questions about the releases before a time and after it, by how many these are, with one budget throughout.
export function evenly(epsilon, count) {
  const whole = question(new Array(count).fill(epsilon));
  const known = [];
  return (length) => (known[length] ??= part(whole, count - length));
}

// The exact worst case of BPL, FPL and TPL at every time, and the pairs of values that attain TPL.
export function worstLeakage(worst, epsilons) {
  const count = epsilons.length;
  if (worst.n === 1) return { bpl: epsilons.map(() => 0), fpl: epsilons.map(() => 0), tpl: epsilons.map(() => 0), pairs: [] };
  const [before, after] = [question(epsilons.slice().reverse()), question(epsilons)];
  const along = (side, whole) => {
    side?.forget(count - 1);
    let last = 0;
    return Array.from({ length: count }, (_, far) => {
      if (side) side.rests[far] = far ? upperExcess(last) : 0;
      return (last = sumUp(whole.epsilons[count - 1 - far], side ? side.greatest(part(whole, count - far)) : 0));
    });
  };
  const found = { bpl: along(worst.past, before), fpl: along(worst.future, after).reverse(), tpl: [], pairs: [] };
  worst.rank();
  for (const [t, epsilon] of epsilons.entries()) {
    const [log, pair] = worst.greatest(part(before, count - t), part(after, t + 1));
    found.tpl.push(sumUp(epsilon, log));
    found.pairs.push(pair);
  }
  return found;
}

// The greatest log over so many releases with one budget, its pair and time. Its level is that and the budget.
export function worstPeak(worst, epsilon, count, least = 0) {
  const of = evenly(epsilon, count);
  for (const side of worst.sides) {
    side.forget(count - 1);
    side.renew(epsilon);
    side.greatest(of(count - 1), epsilon);
  }
  worst.rank();
  return worst.peak(of, count, least);
}
