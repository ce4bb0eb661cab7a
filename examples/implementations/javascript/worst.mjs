// The exact worst case over all mechanisms: what any stream of these budgets reveals at most, never below the truth. At
// each time it is the own budget, and the greatest product of the ratios of one pair of values before it and after it.

import { sumUp } from "./numbers.mjs";
import { question } from "./sweep.mjs";

const FEW = 3; // so often the number of releases is halved for what orders the pairs
const LEADING = 4; // so many of them are looked at first
const NEARLY_ALL = 2 ** -20; // what is drawn is raised until it rises by less

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
    let [most, chosen] = [least, null];
    const order = this.orders[kind];
    for (const pair of order) {
      const value = this.above(pair, before, after, most);
      if (value > most) [most, chosen] = [value, pair];
    }
    if (chosen) order.unshift(...order.splice(order.indexOf(chosen), 1)); // asked about first the next time
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
    const share = one + other > 0 ? (most * one) / (one + other) : most / 2;
    return share >= one && past.isWithin(j, k, before, share) && future.isWithin(l, m, after, -sumUp(share, -most));
  }

  sidesOf({ j, k }, before, after) {
    return [[before && this.past, j.of[0], k.of[0]], [after && this.future, j.of[1], k.of[1]]];
  }

  // The greatest log of the products at all times with one budget throughout, rounded up, its pair and time. A ratio
  // over more releases is not less, so that many times are answered by one question. At least `least`, without a pair. Args: of, as `evenly` has it.
  peak(of, count, least = 0) {
    const found = { level: least, pair: null, time: null };
    const [few, all] = [of((count - 1) >> FEW), of(count - 1)];
    for (const pair of this.pairs) this.survey(pair, few);
    const likely = this.pairs.map((pair) => ({ pair, guess: this.guess(pair, few, few) })).sort((a, b) => b.guess - a.guess);
    for (const [place, { pair }] of likely.entries()) {
      if (place >= LEADING && this.isWithin(pair, all, all, found.level)) continue;
      this.survey(pair, all);
      const start = this.likeliest(pair, of, count);
      if (start.guess > found.level) this.climb(pair, start.time, start.time, found, of, count);
      this.climb(pair, 0, count - 1, found, of, count);
    }
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
      if (level > found.level) Object.assign(found, { level, pair, time: first });
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

  // The log of what sets for a pair attain, in doubles to nearest.
  attained(pair, before, after) {
    const [[past, j, k], [future, l, m]] = this.sidesOf(pair, before, after);
    const of = (side, a, b, { excesses }) => (a === b ? 0 : Math.log1p(side.raised(a, b, excesses, side.guess(a, b, excesses.length), {}, NEARLY_ALL)));
    return (past ? of(past, j, k, before) : 0) + (future ? of(future, l, m, after) : 0);
  }

  guess(pair, before, after) {
    const [[past, j, k], [future, l, m]] = this.sidesOf(pair, before, after);
    return (past ? past.logGuess(j, k, countOf(before)) : 0) + (future ? future.logGuess(l, m, countOf(after)) : 0);
  }
}

const countOf = (asked) => asked.epsilons.length;

// Questions about the releases before a time and after it, by how many these are, with one budget throughout.
export function evenly(epsilon, count) {
  const whole = question(new Array(count).fill(epsilon));
  const known = [];
  return (length) => (known[length] ??= { epsilons: whole.epsilons.slice(0, length), excesses: whole.excesses.subarray(0, length) });
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

// The greatest log over so many releases with one budget, its pair and time. Its level is that and the budget.
export function worstPeak(worst, epsilon, count, least = 0) {
  for (const side of [worst.past, worst.future]) if (side) side.found = [];
  return worst.peak(evenly(epsilon, count), count, least);
}
