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
