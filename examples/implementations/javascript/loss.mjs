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
//
// Roundings of levels that follow each other add up. So after some levels L is taken from its pieces, which are exact.

import {
  exactly, excess, LARGE, LEAST, level, nextUp, product, quotient, rounded, SCALE, scaled, split, sumUp, TINY, U, up,
} from "./numbers.mjs";
import { piecesOf } from "./pieces.mjs";

const VAST = 1490; // a level α: e^α exceeds any quotient of two doubles
const MOST_STEPS = 500;
const KEPT = 2 ** 21; // how many differences are kept from step to step
const MOST_LOST = 500; // units u, over all levels asked for, before pieces are taken
const FEW = 2 ** 20; // differences, of a matrix whose pieces are soon found
const NEAR = 1 / 4; // levels for which power series are summed
const MOST_TERMS = 40; // of them

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
    this.distances = new Float64Array(this.rows.length ** 2); // by pair of rows, times 2^512, rounded up
    this.lead = [0, 0]; // the pair that was the steepest last
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
    [this.variation, this.certain, this.limit] = [1, 1, Infinity];
    if (this.chain.hasDisjointRows) return;
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
      this.distances[d * this.rows.length + q] = up(gap, this.n + 4);
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
    if (this.chain.hasDisjointRows) return alpha;
    if (!this.known.has(alpha)) this.known.set(alpha, Math.min(alpha, this.limit, this.bound(alpha)));
    return this.known.get(alpha);
  }

  bound(alpha) {
    if (alpha === 0 || this.variation === 0) return 0;
    if (alpha <= VAST && this.known.size * (this.n + 100) > MOST_LOST && this.rows.length ** 2 * this.n <= FEW) return this.ofPieces(alpha);
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

  // L(α) from the pieces, 0 < α ≤ VAST: on each e^L − 1 is (q − d)/(d + 1/E).
  ofPieces(alpha) {
    this.pieces ??= piecesOf(this.chain).map(({ q, d }) => {
      const gap = q.minus(d);
      const first = rounded(gap.n, gap.d, 1);
      return { gap: first, rest: restOf(gap, first), below: rounded(d.n, d.d, -1) };
    });
    if (alpha <= NEAR) return this.pieces.reduce((most, piece) => Math.max(most, ofPiece(piece, alpha)), 0);
    const [grown, shift] = excess(alpha);
    return this.pieces.reduce(
      (most, { gap, below }) => Math.max(most, level(padded([gap * SCALE, below * SCALE], grown, shift, 16 * U))), 0);
  }

  // The greatest Σ max(0, q_j − d_j − μ d_j), rounded up, and (q_S − d_S, d_S) of its set; all times 2^512.
  steepest(m, k) {
    let [greatest, gap, below] = [0, 0, 0];
    const factor = k === 0 ? (1 + m) * (1 - 4 * U) : 0; // of d_j, rounded down
    const lead = this.lead;
    const ask = (d, q, charged) => {
      const most = this.distances[d * this.rows.length + q];
      if (most <= greatest || (!this.isKept && this.glance(d, q, factor) <= greatest)) return;
      const gaps = this.gaps(d, q);
      let height = 0;
      for (let j = 0; j < this.n; j++) if (gaps[j] > charged[j]) height += gaps[j] - charged[j];
      if (height <= greatest) return;
      [greatest, gap, below, this.lead] = [height, 0, 0, [d, q]];
      for (let j = 0; j < this.n; j++)
        if (gaps[j] > charged[j]) [gap, below] = [gap + gaps[j], below + this.scaled[d][j]];
    };
    const chargedOf = (d) => this.scaled[d].map((x) => scaled(x, k) * (m * (1 - 12 * U)));
    ask(...lead, chargedOf(lead[0]));
    for (let d = 0; d < this.rows.length; d++) {
      const charged = chargedOf(d);
      for (let q = 0; q < this.rows.length; q++) if (q !== d) ask(d, q, charged);
    }
    return [up(greatest, this.n + 4), [gap, below]];
  }

  // A bound of 2^512·Σ max(0, q_j − (1 + μ) d_j) from the probabilities: each term is within 4u·q_j, the sum within n·u.
  glance(d, q, factor) {
    const [above, below] = [this.probabilities[q], this.probabilities[d]];
    let height = 0;
    for (let j = 0; j < this.n; j++) height += Math.max(0, above[j] - factor * below[j]);
    return (height + 2 * (this.n + 16) * U) * SCALE;
  }

  // What BPL or FPL rises to with the budget ε at every time. With N = max(1, e), (2) is divided by N, and z = E/N.
  supremum(epsilon) {
    if (epsilon === 0) return 0;
    const ceiling = sumUp(epsilon, this.limit);
    if (epsilon > LARGE + 100 || this.variation === 0 || this.chain.hasDisjointRows) return ceiling; // ε is beyond log(1/q), whatever double q is
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

// What a double above a Fraction is short of it by, rounded up.
function restOf({ n, d }, first) {
  return rounded((n << 1074n) - exactly(first) * d, d << 1074n, 1);
}

// log(1 + gap/(below + 1/E)) = gap·α·(1 + w), rounded up, for α ≤ NEAR. |w| < 2α, and within 64u·α. Args: gap + rest,
// the one of two doubles.
function ofPiece({ gap, rest, below }, alpha) {
  if (gap === 0) return 0;
  let [growth, fall] = [0, 0]; // E = α(1 + growth), log(1 + x) = x(1 − fall)
  for (let i = MOST_TERMS; i > 1; i--) growth = ((1 + growth) * alpha) / i;
  const charge = below * alpha * (1 + growth);
  const share = (growth - charge) / (1 + charge);
  const x = gap * alpha * (1 + share);
  for (let i = MOST_TERMS; i > 1; i--) fall = x * (1 / i - fall);
  const w = share - fall - share * fall;
  const [[a, i], [b, k]] = [split(gap), split(alpha)];
  const whole = a * b;
  const more = lostOf(a, b, whole) + scaled(rest, -i) * b + whole * (w + (64 * alpha + 8 * Math.abs(w)) * U) + 2 ** -96;
  const value = sumUp(whole, more);
  return i + k < -1000 ? nextUp(scaled(value, i + k)) : scaled(value, i + k);
}

// a·b less the double that is nearest, exactly, by Dekker.
function lostOf(a, b, whole) {
  const halves = (x) => {
    const big = x * (2 ** 27 + 1);
    const high = big - (big - x);
    return [high, x - high];
  };
  const [[c, d], [e, f]] = [halves(a), halves(b)];
  return c * e - whole + c * f + d * e + d * f;
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
