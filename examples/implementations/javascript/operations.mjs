// The operations of the contract, on chains and doubles.

import { exactly, gcd, refuseIf, Refusal, rounded, sumUp } from "./numbers.mjs";
import { Loss, leakage } from "./loss.mjs";
import { budgetsBelow, isIdentity, leftBelow, levelNear, NO_LOSS, piecesOf } from "./pieces.mjs";
import { Worst, worstLeakage } from "./worst.mjs";
import { worstBudget } from "./budget.mjs";
import { EndlessSide, Supremum } from "./forever.mjs";
import { Side } from "./side.mjs";

export const MOST_RELEASES = 10000;
const ONE = 1n << 1074n;

const lossOf = (chain) => (chain ? new Loss(chain) : null);
const sideOf = (chain, Kind = Side) => (chain ? new Kind(chain) : null);
const nearest = (n, d) => rounded(n, d, 1);

export const operations = {
  loss: ({ matrix, alpha }) => new Loss(matrix).at(alpha),

  loss_function: ({ matrix }) => ({
    pieces: piecesOf(matrix).map(({ q, d, from, to }) => ({
      q: rounded(q.n, q.d, 1), d: rounded(d.n, d.d, -1), from: levelNear(from), to: levelNear(to),
    })),
  }),

  leakage: ({ backward, forward, epsilons }) => leakage(lossOf(backward), lossOf(forward), epsilons),

  supremum: ({ matrix, epsilon }) => new Loss(matrix).supremum(epsilon),

  composition({ backward, forward, epsilons, start, length }) {
    const end = start + length - 1;
    refuseIf(start < 1 || length < 1 || end > epsilons.length, "InvalidRequest", `there is no window ${start} to ${end}`);
    const { bpl, fpl, tpl } = leakage(lossOf(backward), lossOf(forward), epsilons);
    if (length === 1) return tpl[start - 1];
    return sumUp(bpl[start - 1], ...epsilons.slice(start, end - 1), fpl[end - 1]);
  },

  allocate({ backward, forward, alpha, method, horizon }) {
    const isKnown = method === "upper-bound" || method === "quantified";
    refuseIf(!isKnown, "InvalidRequest", `there is no method ${method}`);
    const isQuantified = method === "quantified";
    refuseIf(isQuantified && horizon === undefined, "InvalidRequest", "the method quantified needs a horizon");
    const pieces = [backward, forward].map((chain) => (chain ? piecesOf(chain) : NO_LOSS));
    refuseIf(alpha === 0, "InfeasibleBudget", "a level of 0 leaves no budget");
    if (isQuantified && horizon === 1) return { epsilons: [alpha] };
    refuseIf(pieces.some(isIdentity), "InfeasibleBudget", "two rows have disjoint supports: each release adds its budget");
    const [first, middle, last] = alpha === Infinity ? [alpha, alpha, alpha] : budgetsBelow(alpha, ...pieces);
    if (!isQuantified) return { epsilons: new Array(horizon ?? 1).fill(middle) };
    return { epsilons: [first, ...new Array(horizon - 2).fill(middle), last] };
  },

  control: ({ matrix, previous, cap }) => leftBelow(new Loss(matrix), () => piecesOf(matrix), previous, cap),

  smooth({ n, matrix, s }) {
    refuseIf((n === undefined) === (matrix === undefined), "InvalidRequest", "give either n or a matrix");
    refuseIf(s < 0 || s === Infinity, "InvalidRequest", `s is ${s}`);
    const size = matrix?.n ?? n;
    const [more, total] = [exactly(s), ONE + BigInt(size) * exactly(s)];
    const entry = (i, j) => {
      if (!matrix) return nearest((i === j ? ONE : 0n) + more, total);
      return nearest(matrix.weights[i][j] * ONE + more * matrix.sums[i], total * matrix.sums[i]);
    };
    return { matrix: square(size, entry) };
  },

  // Pr(before | now) by Bayes' rule.
  reverse({ forward, initial }) {
    const sum = initial.reduce((all, x) => all + exactly(x), -ONE);
    refuseIf(initial.some((x) => x < 0), "NegativeProbability", "initial has a negative entry");
    refuseIf((sum < 0n ? -sum : sum) > BigInt(initial.length) << 1022n, "NotStochastic", "initial does not sum to 1");
    refuseIf(initial.length !== forward.n, "InvalidRequest", `initial has ${initial.length} entries`);
    return { backward: reversed(forward, initial.map(exactly)) };
  },

  estimate({ sequences, smoothing = 0 }) {
    refuseIf(smoothing < 0 || smoothing === Infinity, "InvalidRequest", `smoothing is ${smoothing}`);
    const { states, counts, first } = counted(sequences);
    refuseIf(states.length === 0, "InvalidRequest", "there is no sequence to estimate from");
    refuseIf(counts.flat().every((count) => count === 0n), "UnreachableState", "no transition was counted");
    const transposed = states.map((_, j) => counts.map((row) => row[j]));
    const all = first.reduce((sum, count) => sum + count, 0n);
    return {
      states,
      forward: frequencies(counts, smoothing, states),
      backward: frequencies(transposed, smoothing, states),
      initial: first.map((count) => nearest(count, all)),
    };
  },

  worst_case_leakage({ backward, forward, epsilons }) {
    const { bpl, fpl, tpl } = worstLeakage(new Worst(sideOf(backward), sideOf(forward)), epsilons);
    return { bpl, fpl, tpl };
  },

  worst_case_supremum({ backward, forward, epsilon }) {
    if (!backward && !forward) return epsilon;
    return new Supremum(sideOf(backward, EndlessSide), sideOf(forward, EndlessSide)).at(epsilon);
  },

  worst_case_allocate({ backward, forward, alpha, horizon }) {
    const known = backward || forward;
    refuseIf(alpha === 0, "InfeasibleBudget", "a level of 0 leaves no budget");
    const Kind = horizon === undefined ? EndlessSide : Side;
    const budget = known ? worstBudget(sideOf(backward, Kind), sideOf(forward, Kind), alpha, horizon ?? null) : alpha;
    return { epsilons: new Array(horizon ?? 1).fill(budget) };
  },
};

const square = (n, entry) => Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => entry(i, j)));

function reversed(forward, initial) {
  const { weights, sums, n } = forward;
  const common = sums.reduce((all, sum) => (all / gcd(all, sum)) * sum, 1n);
  const joint = weights.map((row, i) => row.map((x) => initial[i] * x * (common / sums[i])));
  const totals = weights.map((_, j) => joint.reduce((sum, row) => sum + row[j], 0n));
  const never = totals.indexOf(0n);
  refuseIf(never >= 0, "UnreachableState", `state ${never + 1} cannot be reached`);
  return square(n, (i, j) => nearest(joint[j][i], totals[i]));
}

// The states in order, numbers by value and before names; the counts of transitions and of first states.
export function counted(sequences) {
  const states = [...new Set(sequences.flat())].sort(byNumber);
  const place = new Map(states.map((name, i) => [name, i]));
  const counts = square(states.length, () => 0n);
  const first = states.map(() => 0n);
  for (const sequence of sequences) {
    if (sequence.length) first[place.get(sequence[0])] += 1n;
    for (let t = 1; t < sequence.length; t++) counts[place.get(sequence[t - 1])][place.get(sequence[t])] += 1n;
  }
  return { states, counts, first };
}

function byNumber(a, b) {
  const [one, other] = [a, b].map((name) => (/^[0-9]{1,18}$/.test(name) ? BigInt(name) : null));
  if (one !== null && other !== null && one !== other) return one < other ? -1 : 1;
  if ((one === null) !== (other === null)) return one === null ? 1 : -1;
  const [left, right] = [[...a], [...b]];
  const at = left.findIndex((letter, i) => letter !== right[i]);
  if (at < 0) return left.length - right.length;
  return at >= right.length ? 1 : left[at].codePointAt(0) - right[at].codePointAt(0);
}

function frequencies(counts, smoothing, states) {
  const more = exactly(smoothing);
  return counts.map((row, i) => {
    const total = row.reduce((sum, count) => sum + count * ONE + more, 0n);
    if (total === 0n) throw new Refusal("UnreachableState", `nothing is known of state ${states[i]}`);
    return row.map((count) => nearest(count * ONE + more, total));
  });
}

