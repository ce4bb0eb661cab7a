// A transition matrix: non-negative weights, each row over its sum. Its probabilities as doubles, differences of two
// rows that keep their digits, and integers where doubles do not decide.

import { exactly, gcd, refuseIf, rounded } from "./numbers.mjs";

const MOST_STATES = 1000;
const CANCELLED = 2 ** -40; // a difference that is this part of its terms, or less, is worked out in integers
const ONE = 1n << 1074n;

export class Chain {
  // Args: rows of doubles, or of integers of any length: weights. what: its name in messages.
  constructor(rows, what = "matrix") {
    const n = rows.length;
    refuseIf(n === 0 || rows.some((row) => row.length !== n), "NotSquare", `${what} is not square`);
    refuseIf(n > MOST_STATES, "InvalidRequest", `${what} has more than ${MOST_STATES} states`);
    const isNegative = rows.some((row) => row.some((x) => x < 0));
    refuseIf(isNegative, "NegativeProbability", `${what} has a negative entry`);
    this.n = n;
    const areDoubles = typeof rows[0][0] === "number";
    this.weights = areDoubles ? rows.map((row) => row.map(exactly)) : rows;
    this.sums = this.weights.map((row) => row.reduce((sum, x) => sum + x, 0n));
    refuseIf(this.sums.includes(0n), "NotStochastic", `${what} has a row of zeros`);
    this.isExact = areDoubles && this.sums.every((sum) => sum === ONE);
    this.entries = rows.map((row, i) =>
      Float64Array.from(row, (x, j) => (this.isExact ? x : rounded(this.weights[i][j], this.sums[i], -1))));
    if (!this.isExact) this.remainders = this.entries.map((row, i) => row.map((x, j) => this.remainder(x, i, j)));
    this.group();
  }

  remainder(x, i, j) {
    const scale = 1n << 1074n;
    return rounded(this.weights[i][j] * scale - exactly(x) * this.sums[i], this.sums[i] * scale, -1);
  }

  // Rows that are equal are one row: `groupOf` a state is the number of its row among the `distinct` ones.
  group() {
    const numbers = new Map();
    this.distinct = [];
    this.groupOf = this.entries.map((row, i) => {
      const key = this.isExact ? row.join() : this.reduced(i).join();
      if (!numbers.has(key)) numbers.set(key, this.distinct.push(i) - 1);
      return numbers.get(key);
    });
  }

  // The chain with states made one whose rows are equal and whose columns are proportional, which changes no ratio of
  // two rows: a likelihood is the same on both. `classOf` a state is the number of its state there.
  lumped() {
    const classes = new Map();
    let size = 0;
    this.classOf = this.groupOf.map((group, b) => {
      const column = this.distinct.map((i) => this.entries[i][b]);
      const sum = column.reduce((all, x) => all + x, 0);
      const key = `${group} ${this.distinct.length === this.n ? b : column.map((x) => (x / sum).toPrecision(9))}`;
      const found = (classes.get(key) ?? []).find(({ first }) => this.areProportional(first, b));
      if (found) return found.place;
      const made = { place: size++, first: b };
      classes.set(key, [...(classes.get(key) ?? []), made]);
      return made.place;
    });
    if (size === this.n) return this;
    const rows = Array.from({ length: size }, (_, place) => {
      const row = new Array(size).fill(0n);
      this.weights[this.classOf.indexOf(place)].forEach((x, b) => (row[this.classOf[b]] += x));
      return row;
    });
    return new Chain(rows);
  }

  areProportional(a, b) {
    const [whole, part] = [a, b].map((state) => this.distinct.map((i) => this.weights[i][state]));
    const place = whole.findIndex((x) => x !== 0n);
    return place < 0 ? part.every((x) => x === 0n) : whole.every((x, i) => x * part[place] === part[i] * whole[place]) && part[place] !== 0n;
  }

  // Whether no column is positive in both of some two rows: the loss function is then the level itself.
  get hasDisjointRows() {
    this.supports ??= this.distinct.map((i) => BigInt(`0b${this.weights[i].map((x) => (x ? 1 : 0)).join("")}`));
    return (this.areDisjoint ??= this.supports.some((one, i) => this.supports.some((other, k) => k < i && !(one & other))));
  }

  reduced(i) {
    const common = this.weights[i].reduce(gcd, 0n);
    return this.weights[i].map((x) => x / common);
  }

  // q_j − d_j for rows q, d: within 4u of it, and 0 where they are equal.
  difference(q, d, j) {
    const [a, b] = [this.entries[q][j], this.entries[d][j]];
    const gap = a - b;
    if (this.isExact) return gap;
    const back = gap - a;
    const lost = a - (gap - back) - (b + back); // exact, by Knuth
    const value = gap + (lost + (this.remainders[q][j] - this.remainders[d][j]));
    if (Math.abs(value) > CANCELLED * (a + b)) return value;
    const [sumQ, sumD] = [this.sums[q], this.sums[d]];
    return rounded(this.weights[q][j] * sumD - this.weights[d][j] * sumQ, sumQ * sumD, 1);
  }

  // Probabilities times 2^places, rounded down and up, of the distinct rows.
  fixed(places) {
    this.known ??= new Map();
    if (!this.known.has(places)) {
      const both = this.distinct.map((i) => {
        const below = this.weights[i].map((x) => (x << BigInt(places)) / this.sums[i]);
        const above = below.map((x, j) => (x * this.sums[i] === this.weights[i][j] << BigInt(places) ? x : x + 1n));
        return { below, above };
      });
      this.known.set(places, both);
    }
    return this.known.get(places);
  }
}

// Doubles whose row misses 1 by more than n roundings are refused.
export function chainOfDoubles(rows, what) {
  for (const [i, row] of rows.entries()) {
    const miss = row.reduce((sum, x) => sum + exactly(x), -ONE);
    const isFar = (miss < 0n ? -miss : miss) > BigInt(row.length) << 1022n;
    refuseIf(isFar, "NotStochastic", `${what}, row ${i + 1} does not sum to 1`);
  }
  return new Chain(rows, what);
}
