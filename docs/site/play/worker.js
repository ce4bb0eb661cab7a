// Answers one question of the page at a time: curves first, then what holds at all times, then budgets.

const SLACK = 2 ** -24; // of a ratio, relatively: less than the six digits that are shown
const DRAWN = 2 ** -12; // what is drawn is raised until it rises by less

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
    const bound = loss.leakage(...kept.losses, new Array(steps).fill(epsilon));
    const { level, pair, time } = worst.worstPeak(both, epsilon, steps);
    const sets = pair ? attaining([both.past, both.future], pair, epsilon, time, steps) : [];
    const exact = { peak: numbers.sumUp(epsilon, level), time, ...outline(both, epsilon, steps) };
    return { part: "curves", bound, exact, pair: pair && [pair.j.value, pair.k.value], sets };
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

// The curves of the exact worst case as they are drawn, to nearest: the most that mechanisms attain between any two values,
// first one or a few for each pair, then those for the pair that is ahead at some times.
function outline({ past, future, ranked }, epsilon, steps) {
  const of = worst.evenly(epsilon, steps);
  const times = [...Array(steps).keys()];
  const logs = [past, future].map((side) => times.map(() => new Float64Array(side ? side.count ** 2 : 1)));
  const placeOf = (side, { j, k }) => (side ? j * side.count + k : 0);
  const rolesOf = ({ j, k }) => [0, 1].map((role) => ({ j: j.of[role], k: k.of[role] }));
  for (const [role, side] of [past, future].entries())
    for (const pair of side?.pairs ?? []) {
      side.survey(pair.j, pair.k, of(steps - 1).excesses);
      for (const length of times.slice(1)) logs[role][length][placeOf(side, pair)] = Math.log1p(side.guess(pair.j, pair.k, length));
    }
  const add = (role, { j, k }, length) => {
    const side = [past, future][role];
    if (!side || j === k || length === 0) return;
    const [{ excesses }, sets] = [of(length), new Uint8Array(steps * side.n)];
    const x = side.raised(j, k, excesses, side.guess(j, k, length), {}, DRAWN);
    side.attained(j, k, excesses, side.note(j, k, length, x), { sets });
    spread(side, sets, excesses[0], logs[role]);
  };
  // Args: count, of pairs; valueOf, of a time and the place of a pair among these; use, what a pair that is ahead adds.
  const curve = (count, valueOf, use) => {
    const ahead = (time) => {
      let [best, most] = [0, valueOf(time, 0)];
      for (let i = 1; i < count; i++) {
        const value = valueOf(time, i);
        if (value > most) [best, most] = [i, value];
      }
      return { best, most };
    };
    if (count === 0) return times.map(() => epsilon);
    const leads = times.map((time) => ahead(time).best);
    leads.forEach((i, time) => (i === leads[time - 1] && i === leads[time + 1]) || use(time, i));
    return times.map((time) => epsilon + Math.max(0, ahead(time).most));
  };
  const along = (role) => {
    const side = [past, future][role];
    const places = Int32Array.from(side?.pairs ?? [], (pair) => placeOf(side, pair));
    return curve(places.length, (time, i) => logs[role][time][places[i]], (time, i) => add(role, side.pairs[i], time));
  };
  const [before, after] = [past, future].map((side, role) => Int32Array.from(ranked, (pair) => placeOf(side, rolesOf(pair)[role])));
  const both = (time, i) => logs[0][time][before[i]] + logs[1][steps - 1 - time][after[i]];
  const tpl = curve(ranked.length, both, (time, i) => {
    const [own, next] = rolesOf(ranked[i]);
    add(0, own, time);
    add(1, next, steps - 1 - time);
  });
  return { bpl: along(0), fpl: along(1).reverse(), tpl };
}

// Raises the logs of the ratios of all rows, by number of releases, to what these sets attain.
function spread({ n, count, rows, columns, width, groupOf }, sets, e, logs) {
  const courses = rows.map((row) => row.slice());
  const [heights, masses] = [new Float64Array(count), new Float64Array(width)];
  const last = Math.floor(sets.lastIndexOf(1) / n) + 1; // releases farther off have empty sets and change no ratio
  for (let length = 1; length < logs.length; length++) {
    for (let i = 0; i < count && length <= last; i++) {
      const course = courses[i];
      let total = 0;
      masses.fill(0);
      for (let a = 0; a < n; a++) {
        const mass = sets[(length - 1) * n + a] ? course[a] * (1 + e) : course[a];
        total += mass;
        masses[groupOf[a]] += mass;
      }
      heights[i] = Math.log(total);
      for (let b = 0, at = 0; b < n; b++) {
        let first = 0, second = 0;
        for (let group = 0; group < width; group += 2, at += 2) {
          first += masses[group] * columns[at];
          second += masses[group + 1] * columns[at + 1];
        }
        course[b] = first + second;
      }
    }
    const found = logs[length];
    for (let j = 0, at = 0; j < count; j++)
      for (let k = 0; k < count; k++, at++) {
        const height = heights[j] - heights[k];
        if (height > found[at]) found[at] = height;
      }
  }
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
