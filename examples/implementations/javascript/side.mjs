// One correlation, and what is asked about pairs of its values: an upper bound of a pair's ratio, and the greatest of all.

import { excess, exponential, level, scaled, sumUp } from "./numbers.mjs";
import { Integers } from "./integers.mjs";
import { Sweep } from "./sweep.mjs";

export const HUGE = 1600; // a budget that is as good as ∞, or whose ratio grows as e^ε
export const MOST_WITHIN = 500; // a level up to which doubles exclude a pair
const ROUGH = 2 ** -4; // relatively, by which a guess may be off
const ENOUGH = 1.1; // as many releases as were asked about, or a few more

export class Side extends Sweep {
  constructor(whole, slack) {
    super(whole, slack);
    this.surveyed = []; // by pair, up to which number of releases
    this.foundBefore = []; // as `found`, for another budget
    this.found = []; // by pair, by the number of releases: x at the last question
    const groups = [...Array(this.count).keys()];
    this.pairs = groups.flatMap((j) => groups.filter((k) => k !== j).map((k) => ({ j, k })));
    this.powers = new Map();
    this.forget(0);
  }

  growth(epsilon, places) {
    const key = `${epsilon} ${places}`;
    if (!this.powers.has(key)) this.powers.set(key, exponential(epsilon, places) + 2n);
    return this.powers.get(key);
  }

  // `rests`: by the number of releases that are farther off, an upper bound of the ratios of their likelihood, less 1.
  // Nothing is known of them yet. Args: count, of releases.
  forget(count) {
    this.rests = new Float64Array(count + 1).fill(Infinity);
  }

  // What was found is from now on of another budget.
  renew(epsilon) {
    if (this.budget === epsilon) return;
    [this.budget, this.foundBefore, this.found, this.surveyed] = [epsilon, this.found, [], []];
  }

  // What is known of a pair's ratio less 1 over so many releases, or over the nearest number that was asked for.
  guess(j, k, count) {
    return nearest(this.found[j * this.count + k], count);
  }

  note(j, k, count, x) {
    (this.found[j * this.count + k] ??= [])[count] = x;
    return x;
  }

  // Guesses for up to so many releases with one budget: what the sets for some numbers of them attain over others, raised
  // until they rise by little.
  survey(j, k, excesses) {
    const known = (this.found[j * this.count + k] ??= [0]);
    const ratios = new Float64Array(excesses.length);
    for (const count of quarterings(excesses.length)) {
      if (j === k || count <= (this.surveyed[j * this.count + k] ?? 0) * ENOUGH) continue;
      const [part, before] = [excesses.subarray(0, count), nearest(this.foundBefore[j * this.count + k], count)];
      const start = before ? this.attained(j, k, part, before, { ratios }) : this.guess(j, k, count);
      if (!(Math.abs(start - before) < before * ROUGH)) this.raised(j, k, part, start, { ratios }, ROUGH);
      for (let t = 0; t < count; t++) known[t + 1] = Math.max(known[t + 1] ?? 0, ratios[t]);
      this.surveyed[j * this.count + k] = count;
    }
  }

  // About the log of the pair's ratio: by what is known of it, otherwise by a glance, which is above it.
  logGuess(j, k, count) {
    if (j === k || count === 0) return 0;
    return Math.log1p(this.guess(j, k, count) || this.glance(j, k, this.rests[count] ?? Infinity));
  }

  // By pair, a bound of the log of its ratio over any of these numbers of releases, from `rests` alone.
  logGlances() {
    const most = this.rests.reduce((greatest, rest) => Math.max(greatest, rest));
    return Float64Array.from({ length: this.count ** 2 }, (_, place) => {
      const [j, k] = [Math.floor(place / this.count), place % this.count];
      return level([this.glance(j, k, most), 0]);
    });
  }

  // Whether the log of the pair's ratio is certainly at most `most`.
  isWithin(j, k, { excesses }, most) {
    if (j === k || excesses.length === 0) return most >= 0;
    return most > 0 && most < MOST_WITHIN && this.keeps(j, k, excesses, this.lowered(most), this.rests);
  }

  lowered(most) {
    if (this.asked !== most) [this.asked, this.excess] = [most, lowerExcess(most)];
    return this.excess;
  }

  // The greatest log of the ratios of all pairs, rounded up. `rests` exclude most pairs. With one budget ε throughout, `rests`
  // come from what is found here, by induction over the number of releases: where no pair is above `most` over fewer of
  // them, the likelihoods of those have ratios of at most e^(ε + most). So all pairs are asked about again when `most` rises.
  greatest(asked, epsilon = null) {
    const { pairs } = this;
    let most = 0;
    for (let [place, sure] = [0, 0]; sure < pairs.length; place = (place + 1) % pairs.length, sure++) {
      const { j, k } = pairs[place];
      if (this.isWithin(j, k, asked, most)) continue;
      const log = this.logRatio(j, k, asked);
      if (log <= most) continue;
      most = log;
      if (place > 0) pairs.unshift(...pairs.splice(place, 1)); // asked about first the next time
      if (epsilon === null) continue;
      [place, sure] = [0, 0];
      this.rests.fill(most < MOST_WITHIN ? upperExcess(sumUp(epsilon, most)) : Infinity);
      if (most >= MOST_WITHIN) return most;
    }
    return most;
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

// What is known over so many releases, or over the nearest number.
function nearest(known, count) {
  if (!known) return 0;
  for (let fewer = count; fewer > 0; fewer--) if (known[fewer] > 0) return known[fewer];
  return known.find((x) => x > 0) ?? 0;
}

// A number, quartered as long as it is above 0, by size.
const quarterings = (count) => (count ? [...quarterings(count >> 2), count] : []);

// What a sweep asks about: the budgets, the nearest release first, and e^ε − 1 rounded up.
export function question(epsilons) {
  let [last, excess] = [0, 0];
  const excessOf = (epsilon) => {
    if (epsilon !== last) [last, excess] = [epsilon, upperExcess(epsilon)];
    return excess;
  };
  return { epsilons, excesses: Float64Array.from(epsilons, excessOf) };
}

export const lowerExcess = (level) => scaled(...excess(level, -1));
export const upperExcess = (epsilon) => (epsilon > HUGE ? Infinity : scaled(...excess(epsilon)));
