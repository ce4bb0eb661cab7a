// Answers one question of the page at a time: curves first, then what holds at all times, then budgets.

const SLACK = 2 ** -32; // of a ratio, relatively: far less than the six digits that are shown

let [latest, kept] = [0, { text: null }];
const pause = () => new Promise((done) => setTimeout(done)); // in which a newer question may arrive

// What depends on the data alone, kept for the next question.
function chainsOf(given) {
  const text = JSON.stringify(given);
  if (kept.text !== text) {
    const chains = given.map((weights) => (weights ? new chain.Chain(weights.map((row) => row.map(BigInt))) : null));
    kept = { text, answers: {}, budgets: {}, chains, losses: chains.map((one) => one && new loss.Loss(one)) };
  }
  return kept;
}

// The greatest budget of every release that keeps the paper's bound at most α.
function boundBudgets(losses, chains, alpha, steps) {
  const levelOf = (epsilon) => Math.max(...loss.leakage(...losses, new Array(steps).fill(epsilon)).tpl);
  const over = levelOf(alpha) <= alpha ? alpha : budget.closest(levelOf, alpha);
  const asked = { backward: chains[0], forward: chains[1], alpha, method: "upper-bound" };
  return { steps: over, ever: orNone(() => operations.operations.allocate(asked).epsilons[0]) };
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
    for (const part of parts(asked)) {
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
    const sides = sidesOf(sweep.Side);
    const both = new worst.Worst(...sides);
    const bound = loss.leakage(...kept.losses, new Array(steps).fill(epsilon));
    const { level, pair, time } = worst.worstPeak(both, epsilon, steps);
    const sets = pair ? attaining(sides, pair, epsilon, time, steps) : [];
    const exact = { peak: numbers.sumUp(epsilon, level), time, ...outline(both, epsilon, steps) };
    return { part: "curves", bound, exact, pair: pair && [pair.j.value, pair.k.value], sets };
  };
  const ever = () => {
    const [past, future] = kept.losses;
    const suprema = [past, future].map((one) => (one ? one.supremum(epsilon) : epsilon));
    const bound = numbers.sumUp(suprema[0], future ? future.at(suprema[1]) : 0);
    return { part: "ever", bound, exact: forever.worstSupremum(...sidesOf(forever.EndlessSide), epsilon) };
  };
  const budgets = () => {
    const over = orNone(() => budgetsOver(steps, sweep.Side).greatest(alpha));
    const always = orNone(() => budgetsOver(null, forever.EndlessSide).greatest(alpha));
    const bound = boundBudgets(kept.losses, kept.chains, alpha, steps);
    return { part: "budgets", budgets: { bound, exact: { steps: over, ever: always } } };
  };
  const budgetsOver = (horizon, Kind) => (kept.budgets[horizon] ??= new budget.Budgets(...sidesOf(Kind), horizon));
  const known = (work, ...onWhat) => () => {
    const { answers } = chainsOf(given);
    const text = `${work.name} ${onWhat}`;
    return (answers[work.name] = answers[work.name]?.text === text ? answers[work.name] : { text, ...work() });
  };
  return [known(curves, epsilon, steps), known(ever, epsilon), known(budgets, alpha, steps)];
}

// The curves of the exact worst case as they are drawn: what the likeliest pair at each time attains.
function outline(both, epsilon, steps) {
  const of = worst.evenly(epsilon, steps);
  for (const pair of both.pairs) both.survey(pair, of(steps - 1));
  const times = [...Array(steps).keys()];
  const guesses = (isPast) => both.pairs.map((pair) => Float64Array.from(times, (count) => both.guess(pair, isPast && of(count), !isPast && of(count))));
  const [pasts, futures] = [guesses(true), guesses(false)];
  const curve = (isPast, isFuture) => times.map((time) => {
    let [most, likeliest] = [-1, null];
    for (const [place, pair] of both.pairs.entries()) {
      const guess = (isPast ? pasts[place][time] : 0) + (isFuture ? futures[place][steps - 1 - time] : 0);
      if (guess > most) [most, likeliest] = [guess, pair];
    }
    return epsilon + (likeliest ? both.attained(likeliest, isPast && of(time), isFuture && of(steps - 1 - time)) : 0);
  });
  return { bpl: curve(true, false), fpl: curve(false, true), tpl: curve(true, true) };
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
      const members = [...Array(side.n).keys()].filter((a) => sets[depth * side.n + a]);
      if (members.length) found[role ? peak + 1 + depth : peak - 1 - depth] = members;
    }
  });
  return found;
}
