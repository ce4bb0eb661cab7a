// Answers one question of the page at a time: curves first, then what holds at all times, then budgets.

const SLACK = 2 ** -24; // of a ratio, relatively: less than the six digits that are shown

let [latest, kept] = [0, { text: null }];
const pause = () => new Promise((done) => setTimeout(done)); // in which a newer question may arrive

// What depends on the data alone, kept for the next question.
function chainsOf(given) {
  const text = JSON.stringify(given);
  if (kept.text !== text) {
    const chains = given.map((weights) => (weights ? new chain.Chain(weights.map((row) => row.map(BigInt))) : null));
    kept = { text, answers: {}, last: {}, chains, losses: chains.map((one) => one && new loss.Loss(one)) };
  }
  return kept;
}

// The greatest budget of every release that keeps the paper's bound at most α; near the last one, in proportion.
function boundBudget({ losses, last }, alpha, steps) {
  const levelOf = (epsilon) => Math.max(...loss.leakage(...losses, new Array(steps).fill(epsilon)).tpl);
  const budgetOf = () => (levelOf(alpha) <= alpha ? alpha : budget.closest(levelOf, alpha, SLACK, last.ofBound * alpha));
  const found = budgetOf();
  last.ofBound = found / alpha;
  return found;
}

// 0 where no budget keeps the level.
function orNone(work) {
  try {
    return work();
  } catch (refusal) {
    if (refusal.name !== "InfeasibleBudget") throw refusal;
    return 0;
  }
}

self.onmessage = async ({ data: { number, ...asked } }) => {
  latest = number;
  try {
    for (const part of asked.ends ? partsOfCohort(asked) : parts(asked)) {
      await pause();
      if (latest !== number) return;
      self.postMessage({ number, ...part() });
    }
  } catch (error) {
    self.postMessage({ number, part: "error", message: `${error.name}: ${error.message}` });
  }
};

// The parts of an answer; each is worked out again only when something changed that it depends on.
function parts({ given, epsilon, alpha, steps }) {
  const sidesOf = (Kind) => chainsOf(given).chains.map((one) => one && new Kind(one, SLACK));
  const curves = () => {
    const both = (kept.both ??= new worst.Worst(...sidesOf(side.Side)));
    for (const one of both.sides) one.renew(epsilon);
    const epsilons = new Array(steps).fill(epsilon);
    const [bound, { pairs, ...exact }] = [loss.leakage(...kept.losses, epsilons), worst.worstLeakage(both, epsilons)];
    const time = exact.tpl.indexOf(Math.max(...exact.tpl));
    const pair = pairs[time];
    const sets = pair ? attaining([both.past, both.future], pair, epsilon, time, steps) : [];
    return { part: "curves", bound, exact: { ...exact, peak: exact.tpl[time], time }, pair: pair && [pair.j.value, pair.k.value], sets };
  };
  const ever = () => {
    const [past, future] = kept.losses;
    const suprema = [past, future].map((one) => (one ? one.supremum(epsilon) : epsilon));
    const bound = numbers.sumUp(suprema[0], future ? future.at(suprema[1]) : 0);
    return { part: "ever", bound, exact: (kept.endless ??= new forever.Supremum(...sidesOf(forever.EndlessSide))).at(epsilon) };
  };
  const over = () => {
    const budgets = (kept.over ??= new budget.Budgets(...sidesOf(side.Side), steps)).over(steps);
    return { exact: orNone(() => budgets.greatest(alpha)), bound: boundBudget(kept, alpha, steps) };
  };
  const always = () => {
    const budgets = (kept.always ??= new budget.Budgets(...sidesOf(forever.EndlessSide), null));
    const asked = { backward: kept.chains[0], forward: kept.chains[1], alpha, method: "upper-bound" };
    return { exact: orNone(() => budgets.greatest(alpha)), bound: orNone(() => operations.operations.allocate(asked).epsilons[0]) };
  };
  const known = (work, ...onWhat) => () => {
    const { answers } = chainsOf(given);
    const text = `${work.name} ${onWhat}`;
    return (answers[work.name] = answers[work.name]?.text === text ? answers[work.name] : { text, ...work() });
  };
  const budgets = () => ({ part: "budgets", steps: known(over, alpha, steps)(), ever: known(always, alpha)() });
  return [known(curves, epsilon, steps), known(ever, epsilon), budgets];
}

// For each other release the values in its set, by time; the values of a set answer "yes" more often, by e^ε.
function attaining(sides, { j, k }, epsilon, peak, steps) {
  const found = new Array(steps).fill(null);
  sides.forEach((side, role) => {
    const count = role ? steps - 1 - peak : peak;
    if (!side || count === 0 || j.of[role] === k.of[role]) return;
    const { excesses } = worst.evenly(epsilon, count)(count);
    const sets = new Uint8Array(count * side.n);
    const x = side.raised(j.of[role], k.of[role], excesses, side.guess(j.of[role], k.of[role], count));
    side.attained(j.of[role], k.of[role], excesses, x, { sets });
    for (let depth = 0; depth < count; depth++) {
      const members = [...side.whole.classOf.keys()].filter((a) => sets[depth * side.n + side.whole.classOf[a]]);
      if (members.length) found[role ? peak + 1 + depth : peak - 1 - depth] = members;
    }
  });
  return found;
}

// A cohort with an end: one sweep as in Sweep, with a matrix for each step, rounded up in the same way.

const [UP, MOST_ROUNDS] = [2 ** -50, 100];

// Whether 1 + x is certainly an upper bound of a pair's ratio; and the sets {c > 0}. Args: the nearest matrix first.
function sweptAt(matrices, j, k, excess, x) {
  const n = matrices[0].length;
  const lost = (n + 12) * 2 ** -52;
  const pushed = (matrix, masses) => Float64Array.from({ length: n }, (_, b) => matrix.reduce((sum, row, a) => sum + masses[a] * row[b] * (masses[a] > 0 ? 1 + lost : 1 - lost), 0));
  let [c, added, sets] = [new Float64Array(n), 0, []];
  [c[j], c[k]] = [1, -(1 + x)];
  for (const [t, matrix] of matrices.entries()) {
    c = pushed(matrix, t ? c.map((mass) => (mass > 0 ? mass * (1 + excess) * (1 + lost) : mass)) : c);
    sets.push(c.map((mass) => (mass > 0 ? 1 : 0)));
    added += excess * c.reduce((sum, mass) => sum + Math.max(mass, 0), 0) * (1 + lost);
  }
  return { keeps: added * (1 + lost * matrices.length) <= x, sets };
}

// What the sets attain, less 1.
function attainedBy(matrices, j, k, excess, sets) {
  let value = new Float64Array(matrices[0].length).fill(1);
  for (let t = matrices.length - 1; t >= 0; t--) {
    const raised = value.map((f, a) => (sets[t][a] ? f * (1 + excess) : f));
    value = Float64Array.from(matrices[t], (row) => row.reduce((sum, p, a) => sum + p * raised[a], 0));
  }
  return value[j] / value[k] - 1;
}

// The log of a pair's ratio, rounded up, and the sets that attain it.
function ratioOf(matrices, j, k, epsilon) {
  if (!matrices.length || j === k) return { log: 0, sets: [] };
  const excess = side.upperExcess(epsilon);
  let [x, sets] = [0, []];
  for (let round = 0; round < MOST_ROUNDS; round++) {
    sets = sweptAt(matrices, j, k, excess, x).sets;
    const found = attainedBy(matrices, j, k, excess, sets);
    if (!(found > x * (1 + 2 ** -40))) break;
    x = found;
  }
  for (let pad = 2 ** -40; pad < SLACK; pad *= 4) if (sweptAt(matrices, j, k, excess, x * (1 + pad) + pad).keeps) return { log: Math.log1p(x * (1 + pad) + pad) * (1 + UP), sets };
  return { log: matrices.length * epsilon * (1 + UP), sets };
}

function partsOfCohort({ given, ends, epsilon, alpha, steps }) {
  const chains = given.map((weights) => new chain.Chain(weights.map((row) => row.map(BigInt))));
  const entries = chains.map((one) => one.entries);
  const losses = chains.map((one) => new loss.Loss(one));
  const [forward, n] = [entries[steps - 1], entries[0].length];
  const before = (t) => entries.slice(0, t).reverse(); // time t, from 0
  const after = (t) => new Array(steps - 1 - t).fill(forward);
  const pairs = [...Array(n * n).keys()].map((place) => [Math.floor(place / n), place % n]).filter(([j, k]) => j !== k);
  const exactly = (budget) => {
    const found = { tpl: [], bpl: [], fpl: [], pairs: [] };
    for (let t = 0; t < steps; t++) {
      const each = pairs.map(([j, k]) => [ratioOf(before(t), j, k, budget).log, ratioOf(after(t), j, k, budget).log]);
      const greatest = (logs) => numbers.sumUp(budget, Math.max(0, ...logs));
      const sums = each.map(([past, future]) => numbers.sumUp(past, future));
      found.pairs.push(pairs[sums.indexOf(Math.max(...sums))]);
      found.tpl.push(greatest(sums));
      found.bpl.push(greatest(each.map(([past]) => past)));
      found.fpl.push(greatest(each.map(([, future]) => future)));
    }
    return found;
  };
  const bounded = (budget) => {
    const [bpl, fpl] = [[budget], [budget]];
    for (let t = 0; t < steps - 1; t++) {
      bpl.push(numbers.sumUp(budget, losses[t].at(bpl[t])));
      fpl.unshift(numbers.sumUp(budget, losses[steps - 1].at(fpl[0])));
    }
    return { bpl, fpl, tpl: bpl.map((level, t) => (t < steps - 1 ? numbers.sumUp(level, losses[steps - 1].at(fpl[t + 1])) : level)) };
  };
  const most = (levels) => {
    let [kept, over] = [0, alpha];
    if (Math.max(...levels(alpha).tpl) <= alpha) return alpha;
    while (over - kept > SLACK * over) {
      const middle = (kept + over) / 2;
      if (Math.max(...levels(middle).tpl) <= alpha) kept = middle;
      else over = middle;
    }
    return kept;
  };
  const curves = () => {
    const { pairs: worst, ...exact } = exactly(epsilon);
    const time = exact.tpl.indexOf(Math.max(...exact.tpl));
    const pair = steps > 1 ? worst[time] : null;
    const members = (set) => [...set.keys()].filter((a) => set[a]);
    const sets = pair ? [...ratioOf(before(time), ...pair, epsilon).sets.map(members).reverse(), null, ...ratioOf(after(time), ...pair, epsilon).sets.map(members)] : [];
    return { part: "curves", bound: bounded(epsilon), exact: { ...exact, peak: exact.tpl[time], time }, pair, sets };
  };
  return [curves, () => ({ part: "ever", ends }), () => ({ part: "budgets", steps: { exact: most(exactly), bound: most(bounded) }, ever: { exact: 0, bound: 0 } })];
}
