// The privacy loss function L of a chain, its limit and its suprema, never below the truth: leakage by the recursion.
//
// With E = e^α − 1, L(α) = log(1 + μ) for the least μ such that, for every pair of rows q, d,
//
//     E · Σ_j max(0, q_j − d_j − μ d_j) ≤ μ.                                               (1)
//
// The search for μ rounds as it likes; then (1) is checked with every rounding on the left upwards. The same with the
// supremum under a budget ε, e = e^ε − 1: E is not below the fixed point of α = ε + L(α) if, for every pair,
//
//     Σ_j min(q_j, (1 + E) d_j − e q_j) ≥ e/E.                                             (2)

import {
  excess, LARGE, LEAST, level, nextUp, product, quotient, SCALE, scaled, split, sumUp, TINY, U, up,
} from "./numbers.mjs";

const VAST = 1490; // a level α: e^α exceeds any quotient of two doubles
const MOST_STEPS = 500;
const KEPT = 2 ** 21; // how many differences are kept from step to step

export class Loss {
  constructor(chain) {
    this.chain = chain;
    this.n = chain.n;
    this.rows = chain.distinct;
    this.scaled = this.rows.map((i) => chain.entries[i].map((x) => x * SCALE));
    this.probabilities = this.rows.map((i) => chain.entries[i]);
    this.isKept = this.rows.length ** 2 * this.n <= KEPT;
    this.kept = [];
    this.space = new Float64Array(this.n);
    this.guess = null;
    this.known = new Map();
    this.measure();
  }

  // Upper bounds of 2^512·(q_j − d_j)^+, within 12u.
  gaps(d, q) {
    const place = d * this.rows.length + q;
    if (this.kept[place]) return this.kept[place];
    const gaps = this.isKept ? (this.kept[place] = new Float64Array(this.n)) : this.space;
    for (let j = 0; j < this.n; j++) {
      const gap = this.chain.difference(this.rows[q], this.rows[d], j);
      gaps[j] = gap > 0 ? gap * SCALE * (1 + 8 * U) : 0;
    }
    return gaps;
  }

  // The greatest total variation distance of two rows, the greatest mass that a row has where another has none, L(∞).
  measure() {
    [this.variation, this.certain] = [0, 0];
    let greatest = 0;
    this.eachPair((d, q) => {
      let [gap, alone] = [0, 0];
      const [gaps, below] = [this.gaps(d, q), this.scaled[d]];
      for (let j = 0; j < this.n; j++) {
        if (gaps[j] === 0) continue;
        gap += gaps[j];
        if (below[j] === 0) alone += gaps[j];
        else greatest = Math.max(greatest, gaps[j] / 2 ** 80 / below[j]);
      }
      this.variation = Math.max(this.variation, Math.min(1, up(gap / SCALE, this.n + 2)));
      this.certain = Math.max(this.certain, Math.min(1, up(alone / SCALE, this.n + 2)));
    });
    this.limit = this.certain > 0 ? Infinity : greatest > 0 ? level([up(greatest, 8), 80]) : 0;
  }

  eachPair(use) {
    for (let d = 0; d < this.rows.length; d++) for (let q = 0; q < this.rows.length; q++) if (d !== q) use(d, q);
  }

  // L(α), at most α and at most L(∞).
  at(alpha) {
    if (!this.known.has(alpha)) this.known.set(alpha, Math.min(alpha, this.limit, this.bound(alpha)));
    return this.known.get(alpha);
  }

  bound(alpha) {
    if (alpha === 0 || this.variation === 0) return 0;
    if (alpha <= TINY) return nextUp(up(this.variation * alpha, 4)); // L(α) is at most the variation times E
    if (alpha > VAST && this.certain > 0) return sumUp(alpha, Math.log(this.certain) * (1 - 16 * U));
    if (alpha > VAST) return alpha;
    const [grown, shift] = excess(alpha);
    let [pad, found] = [(this.n + 40) * U, this.guess];
    let [m, k] = found ? padded(found, grown, shift, pad) : [0, 0];
    for (let step = 0; step < MOST_STEPS; step++) {
      const [height, better] = this.steepest(m, k);
      const power = 512 + k - shift;
      if (up(height * grown, 2) <= (power > -1000 ? scaled(m, power) : 0)) return level([m, k]);
      if (found && better[0] === found[0] && better[1] === found[1]) pad = Math.min(2 * pad, 2 ** 60);
      this.guess = found = better;
      [m, k] = padded(found, grown, shift, pad);
    }
    return alpha;
  }

  // The greatest Σ max(0, q_j − d_j − μ d_j), rounded up, and (q_S − d_S, d_S) of its set; all times 2^512.
  steepest(m, k) {
    let [greatest, gap, below] = [0, 0, 0];
    for (let d = 0; d < this.rows.length; d++) {
      const charged = this.scaled[d].map((x) => scaled(x, k) * (m * (1 - 12 * U)));
      for (let q = 0; q < this.rows.length; q++) {
        if (q === d) continue;
        const gaps = this.gaps(d, q);
        let height = 0;
        for (let j = 0; j < this.n; j++) if (gaps[j] > charged[j]) height += gaps[j] - charged[j];
        if (height <= greatest) continue;
        [greatest, gap, below] = [height, 0, 0];
        for (let j = 0; j < this.n; j++)
          if (gaps[j] > charged[j]) [gap, below] = [gap + gaps[j], below + this.scaled[d][j]];
      }
    }
    return [up(greatest, this.n + 4), [gap, below]];
  }

  // What BPL or FPL rises to with the budget ε at every time. With N = max(1, e), (2) is divided by N, and z = E/N.
  supremum(epsilon) {
    if (epsilon === 0) return 0;
    const ceiling = sumUp(epsilon, this.limit);
    if (epsilon > LARGE + 100 || this.variation === 0) return ceiling; // ε is beyond log(1/q), whatever double q is
    const [m, k] = excess(epsilon);
    const budget = bySize(m, k);
    let [pad, z] = [(this.n + 64) * U, split(budget[0])];
    for (let step = 0; step < MOST_STEPS; step++) {
      const [holds, sums] = this.tightest(z, ...budget);
      if (holds) return Math.min(ceiling, level(k > 0 ? product(z, [m, k]) : z));
      let next = root(sums, budget, pad);
      while (next && (next[1] - z[1] || next[0] - z[0]) <= 0) {
        pad *= 2;
        next = pad < 2 ** -10 ? root(sums, budget, pad) : null;
      }
      if (next === null) return ceiling;
      z = next;
    }
    return ceiling;
  }

  // Whether (2) holds, and (Σ q off S, d_S, q_S) of the pair where its left side is the least. Args: z = E/N, e/N, 1/N,
  // 2^512/N. What is subtracted is summed apart, so that the error is relative to each of the two sums.
  tightest(z, e, whole, share) {
    const [m, k] = z[1] < 500 ? split(scaled(...z) + whole) : z;
    const loss = (this.n + 6) * U;
    let [least, found] = [Infinity, null];
    const now = this.scaled.map((row) => row.map((x) => x * (e * (1 + 12 * U))));
    const stay = this.probabilities.map((row) => row.map((x) => x * (share * (1 - 12 * U))));
    for (let d = 0; d < this.rows.length; d++) {
      const later = this.scaled[d].map((x) => scaled(x, k) * (m * (1 - 12 * U)));
      for (let q = 0; q < this.rows.length; q++) {
        if (q === d) continue;
        let [kept, lost] = [0, 0];
        for (let j = 0; j < this.n; j++) {
          const term = Math.min(later[j] - now[q][j], stay[q][j]);
          if (term > 0) kept += term;
          else lost -= term;
        }
        const margin = kept * (1 - loss) - lost * (1 + loss) - 4 * this.n * LEAST;
        if (margin >= least) continue;
        [least, found] = [margin, [0, 0, 0]];
        for (let j = 0; j < this.n; j++) {
          if (later[j] - now[q][j] < stay[q][j]) {
            found[1] += this.scaled[d][j];
            found[2] += this.scaled[q][j];
          } else found[0] += this.probabilities[q][j];
        }
      }
    }
    return [least >= up(Math.max(scaled((e * share) / z[0], -z[1]), LEAST), 4), found];
  }
}

// (q_S − d_S)/(d_S + 1/E)·(1 + pad), from sums that are multiplied by 2^512.
function padded([gap, below], grown, shift, pad) {
  let [m, k] = [0, 0];
  if (gap === 0) return [LEAST, 0];
  if (below === 0) {
    const [value, power] = split(gap * grown);
    [m, k] = [value, power + shift - 512];
  } else [m, k] = quotient(gap, below + scaled(1 / grown, 512 - shift));
  m *= 1 + pad;
  return k > 500 ? [m, k] : [Math.max(scaled(m, k), LEAST), 0];
}

// e/N, 1/N and 2^512/N for e = m·2^k and N = max(1, e).
function bySize(m, k) {
  if (k < 1) return [scaled(m, k), 1, SCALE];
  return [1, k < 1000 ? scaled(1 / m, -k) : 0, scaled(1 / m, 512 - k)];
}

// The root z of d z² + b z − e/N = 0, b = (rest + d)/N − q e, or null. The padding raises it.
function root([rest, d, q], [e, , share], pad) {
  const b = (rest + d / SCALE) * share * (1 - pad) - q * e * (1 + pad);
  const c = e * share * (1 + pad);
  const both = Math.hypot(b, 2 * Math.sqrt(d * (1 - pad)) * Math.sqrt(c));
  if (b > 0) return quotient(2 * c, b + both);
  return d > 0 ? quotient((both - b) / 2, d * (1 - pad)) : null;
}

// ε_1, then L(the level before) + ε_t.
export function recursion(epsilons, loss) {
  const levels = [];
  for (const epsilon of epsilons) levels.push(levels.length ? sumUp(epsilon, loss(levels.at(-1))) : epsilon);
  return levels;
}

// BPL, FPL and TPL by the recursion: the paper's bound. Args: the losses of P^B and P^F, null where not known.
export function leakage(backward, forward, epsilons) {
  const [past, future] = [backward, forward].map((loss) => (loss ? (alpha) => loss.at(alpha) : () => 0));
  const bpl = recursion(epsilons, past);
  const fpl = recursion(epsilons.slice().reverse(), future).reverse();
  const tpl = bpl.map((before, t) => (t + 1 < fpl.length ? sumUp(before, future(fpl[t + 1])) : before));
  return { bpl, fpl, tpl };
}
