// The greatest budget of every release that keeps the exact worst TPL at most a level, rounded down.
//
// The leakage of one pair at one time rises with the budget at least as fast as that does. So the budget is found for a
// few pairs and times, and is right when no other pair at any time is above the level; if one is, it is added to them.

import { nextDown, ofBits, refuseIf, sumDown, sumUp, toBits } from "./numbers.mjs";
import { forgets, Supremum } from "./forever.mjs";
import { evenly, Worst, worstPeak } from "./worst.mjs";

const MOST_LEVELS = 200;
const MOST_ASKED = 1000;
const NEARLY = 2 ** -44; // of itself, a budget may be below the greatest
const SMALL = 2 ** -900; // a level whose budget is found by halving

// Leakage over so many releases with one budget, as `Supremum` has it for any number.
class Over {
  constructor(past, future, count) {
    [this.worst, this.count] = [new Worst(past, future), count];
  }

  // The level of a pair at a time, or `least` where it is certainly not above that.
  of({ pair, time }, epsilon, least) {
    const of = evenly(epsilon, this.count);
    for (const side of this.worst.sides) side.forget(this.count - 1); // what is known of another budget
    const room = sumDown(least, -epsilon);
    return sumUp(epsilon, this.worst.above(pair, of(time), of(this.count - 1 - time), room));
  }

  peak(epsilon, least) {
    return worstPeak(this.worst, epsilon, this.count, least);
  }
}

class Always extends Supremum {
  of({ pair }, epsilon, least) {
    return sumUp(epsilon, super.of(pair, epsilon, sumDown(least, -epsilon)));
  }
}

// Args: a Side for each correlation, an EndlessSide for ever; null where not known. horizon, null for ever.
export const worstBudget = (past, future, alpha, horizon) => new Budgets(past, future, horizon).greatest(alpha);

// The greatest budgets for several levels: the pairs and times that one level was attained at are asked about first for the next.
export class Budgets {
  constructor(past, future, horizon) {
    this.isPossible = horizon !== null || (forgets(past) && forgets(future));
    this.leakage = horizon === null ? new Always(past, future) : new Over(past, future, horizon);
    [this.known, this.last] = [[], 0];
  }

  // The same for another number of releases: times are where they were in proportion.
  over(horizon) {
    const { leakage } = this;
    for (const one of this.known) one.time = Math.round((one.time * (horizon - 1)) / Math.max(1, leakage.count - 1));
    leakage.count = horizon;
    return this;
  }

  greatest(alpha) {
    const { leakage, known } = this;
    refuseIf(!(alpha > 0 && this.isPossible), "InfeasibleBudget", "no budget keeps the level at all times");
    if (leakage.worst.n === 1) return Infinity;
    const levelOf = (epsilon) => known.reduce((most, one) => Math.max(most, leakage.of(one, epsilon, most)), epsilon);
    const aim = alpha * (1 - leakage.worst.slack); // so that other times alike are below alpha
    const among = () => (alpha < SMALL ? halved(levelOf, alpha) : closest(levelOf, aim, Math.max(NEARLY, leakage.worst.slack), this.last * alpha));
    let [epsilon, again] = [known.length && leakage.count !== 1 ? among() : alpha, 0]; // one release leaks its budget
    for (let asked = 0; asked < MOST_ASKED; asked++) {
      const { level, pair, time } = leakage.peak(epsilon, sumDown(alpha, -epsilon));
      const total = sumUp(epsilon, level);
      if (total <= alpha) {
        this.last = epsilon / alpha;
        return epsilon;
      }
      if (known.some((one) => one.pair === pair && one.time === time)) {
        const part = ++again * Math.max(NEARLY, total / alpha - 1); // by another rounding of the same level
        epsilon = Math.min(epsilon * (1 - Math.min(part, 0.5)), nextDown(epsilon));
        continue;
      }
      known.push({ pair, time });
      epsilon = among();
    }
    return 0;
  }
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

// Regula falsi; an end that stays twice counts half. A level rises at least as fast as its budget. near: a first guess.
export function closest(levelOf, alpha, nearly = NEARLY, near = 0) {
  let [low, below, high, above, wasLow] = [0, alpha, alpha, null, null];
  if (near > 0 && near < alpha) {
    const left = sumDown(alpha, -levelOf(near));
    if (left >= 0 && left <= near * nearly) return near;
    if (left > 0) [low, below, high] = [near, left, Math.min(alpha, sumUp(near, left))];
    else [high, above] = [near, -left];
  }
  above ??= levelOf(high) - alpha;
  for (let count = 0; count < MOST_LEVELS; count++) {
    const share = above < Infinity ? below / (below + above) : 0.5;
    let middle = low + (high - low) * share;
    if (middle >= high) middle = high * (1 - nearly / 2); // the level is nearly the budget
    if (middle <= low || middle >= high) return low > 0 ? low : nextDown(high);
    const left = sumDown(alpha, -levelOf(middle));
    const room = middle * nearly;
    if (left >= 0 && left <= room) return middle;
    if (left > 0) [low, below, above] = [middle, Math.max(left - room / 2, room / 4), wasLow === true ? above / 2 : above];
    else [high, above, below] = [middle, room / 2 - left, wasLow === false ? below / 2 : below];
    wasLow = left > 0;
  }
  return low;
}
