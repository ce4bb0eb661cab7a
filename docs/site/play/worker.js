// Answers one question of the page at a time: curves first, then what holds at all times, then budgets.

const SLACK = 2 ** -32; // of a ratio, relatively: far less than the six digits that are shown
const HALVINGS = 40;

function sidesOf(given) {
  const chains = given.map((weights) => (weights ? new chain.Chain(weights.map((row) => row.map(BigInt))) : null));
  return { losses: chains.map((one) => one && new loss.Loss(one)), chains };
}

// The greatest budget of every release that keeps the paper's bound at most α: over so many releases by halving.
function boundBudgets(losses, chains, alpha, steps) {
  let [low, high] = [0, alpha];
  const keeps = (epsilon) => Math.max(...loss.leakage(...losses, new Array(steps).fill(epsilon)).tpl) <= alpha;
  if (keeps(alpha)) low = alpha;
  else for (let count = 0; count < HALVINGS; count++) {
    const middle = (low + high) / 2;
    if (keeps(middle)) low = middle;
    else high = middle;
  }
  const asked = { backward: chains[0], forward: chains[1], alpha, method: "upper-bound" };
  return { steps: low, ever: orNone(() => operations.operations.allocate(asked).epsilons[0]) };
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

self.onmessage = ({ data: { number, given, epsilon, alpha, steps } }) => {
  try {
    const { losses, chains } = sidesOf(given);
    const sides = chains.map((one) => one && new worst.Side(one, SLACK));
    const both = new worst.Worst(...sides);
    const epsilons = new Array(steps).fill(epsilon);
    const bound = loss.leakage(...losses, epsilons);
    const exact = worst.worstLeakage(both, epsilons);
    const peak = exact.tpl.indexOf(Math.max(...exact.tpl));
    const pair = exact.pairs[peak] && [exact.pairs[peak].j, exact.pairs[peak].k];
    const sets = pair ? attaining(sides, exact.pairs[peak], epsilon, peak, steps) : [];
    self.postMessage({ number, part: "curves", bound, exact, peak, pair: pair && pair.map(({ value }) => value), sets });
    const suprema = losses.map((one) => (one ? one.supremum(epsilon) : epsilon));
    const ever = numbers.sumUp(suprema[0], losses[1] ? losses[1].at(suprema[1]) : 0);
    self.postMessage({ number, part: "ever", bound: ever, exact: forever.worstSupremum(...sides, epsilon)[0] });
    const [over, always] = [steps, null].map((horizon) => orNone(() => forever.worstBudget(...sides, alpha, horizon)));
    const budget = { bound: boundBudgets(losses, chains, alpha, steps), exact: { steps: over, ever: always } };
    self.postMessage({ number, part: "budgets", budget });
  } catch (error) {
    self.postMessage({ number, part: "error", message: `${error.name}: ${error.message}` });
  }
};

// For each other release the values in its set, by time; the values of a set answer "yes" more often, by e^ε.
function attaining(sides, { j, k }, epsilon, peak, steps) {
  const found = new Array(steps).fill(null);
  sides.forEach((side, role) => {
    const count = role ? steps - 1 - peak : peak;
    if (!side || count === 0 || j.of[role] === k.of[role]) return;
    const { excesses } = worst.question(new Array(count).fill(epsilon));
    const x = side.raised(j.of[role], k.of[role], excesses, 0);
    side.attained(j.of[role], k.of[role], excesses, x);
    for (let depth = 0; depth < count; depth++) {
      const set = [...side.sets.slice(depth * side.n, (depth + 1) * side.n).keys()];
      const members = set.filter((a) => side.sets[depth * side.n + a]);
      if (members.length) found[role ? peak + 1 + depth : peak - 1 - depth] = members;
    }
  });
  return found;
}
