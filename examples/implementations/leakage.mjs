// Privacy loss and leakage on the contract's wire, in JavaScript without packages: an example to start from.
//
//     tploracle conform -- node examples/implementations/leakage.mjs
//
// It has two of the ten operations, takes doubles, and answers each level with one double that is not below the truth.
// With E = e^α − 1, L(α) = log(1 + μ) for the least μ such that, for every pair of rows q, d,
//
//     E · Σ_j max(0, q_j − d_j − μ d_j) ≤ μ.
//
// The search for μ rounds as it likes; then this is checked with every rounding on the left upwards. u = 2^−53 bounds
// the relative error of every operation on doubles, 8u that of exp, expm1, log and log1p. The bounds are those of
// directed_loss.py.

import { createInterface } from "node:readline";

const U = 2 ** -53;
const SCALE = 2 ** 512; // of all entries, so that no product that counts underflows
const [TINY, LARGE, VAST] = [2 ** -60, 700, 1490]; // levels: E is α; E nearly overflows; E exceeds any quotient
const MOST = { steps: 500, states: 1000, releases: 10000, level: 1e9 };
const OPERATIONS = { loss: ["matrix", "alpha"], leakage: ["epsilons", "backward?", "forward?"] };
const OTHERS = ["loss_function", "supremum", "composition", "allocate", "control", "smooth", "reverse", "estimate"];

class Refusal extends Error {
  constructor(name, message) {
    super(message);
    this.name = name;
  }
}

function refuseIf(condition, name, message) {
  if (condition) throw new Refusal(name, message);
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

// Doubles with a direction

const bits = new BigInt64Array(1);
const double = new Float64Array(bits.buffer);

function nextUp(x) {
  if (x === Infinity) return x;
  double[0] = x;
  bits[0] += 1n;
  return double[0];
}

const up = (x, units = 0) => (x > 0 ? nextUp(x * (1 + (units + 2) * U)) : 0);

function sumUp(a, b) {
  const sum = a + b;
  const second = sum - a;
  const error = a - (sum - second) + (b - second); // exact, by Knuth; nan where the sum is ∞
  return error > 0 ? nextUp(sum) : sum;
}

// Numbers beyond the doubles are [m, k], which stands for m·2^k.

function split(x) {
  double[0] = x < 2 ** -1000 ? x * 2 ** 100 : x;
  const k = Number((bits[0] >> 52n) & 0x7ffn) - 1022;
  return [double[0] / 2 ** k, x < 2 ** -1000 ? k - 100 : k];
}

function scaled(x, k) {
  while (k > 1000) [x, k] = [x * 2 ** 1000, k - 1000];
  while (k < -1000) [x, k] = [x * 2 ** -1000, k + 1000];
  return x * 2 ** k;
}

function quotient(a, b) {
  const [[m, i], [n, j]] = [split(a), split(b)];
  return [m / n, i - j];
}

function excess(alpha) {
  if (alpha <= LARGE) {
    const [m, k] = split(Math.expm1(alpha));
    return [m * (1 + 10 * U), k];
  }
  const [m, k] = split(Math.exp(alpha / 8)); // α/8 is exact
  return [m ** 2 * m ** 2 * (m ** 2 * m ** 2) * (1 + 80 * U), 8 * k];
}

function levelUp(m, k) {
  if (k + split(m)[1] < 1000) return up(Math.log1p(scaled(m, k)), 8);
  return up(Math.log(m) + k * Math.LN2, 32);
}

// The loss function of a matrix

class Loss {
  constructor(rows) {
    this.rows = rows.map((row) => row.map((x) => x * SCALE));
    this.n = rows.length;
    this.variation = 0; // the greatest total variation distance of two rows
    this.certain = 0; // the greatest mass that a row has where another has none
    let quotient = 0;
    for (const d of this.rows)
      for (const q of this.rows) {
        let [gap, alone] = [0, 0];
        for (let j = 0; j < this.n; j++) {
          if (q[j] <= d[j]) continue;
          gap += q[j] - d[j];
          if (d[j] === 0) alone += q[j];
          else quotient = Math.max(quotient, (q[j] - d[j]) / 2 ** 80 / d[j]);
        }
        this.variation = Math.max(this.variation, up(gap / SCALE, this.n + 2));
        this.certain = Math.max(this.certain, up(alone / SCALE, this.n + 2));
      }
    this.limit = this.certain > 0 ? Infinity : quotient > 0 ? levelUp(up(quotient, 8), 80) : 0;
  }

  at(alpha) {
    return Math.min(alpha, this.limit, this.bound(alpha));
  }

  bound(alpha) {
    if (alpha === 0 || this.variation === 0) return 0;
    if (alpha <= TINY) return nextUp(up(this.variation * alpha, 4)); // L(α) is at most the variation times E
    if (alpha > VAST && this.certain > 0) return sumUp(alpha, Math.log(Math.min(1, this.certain)) * (1 - 16 * U));
    if (alpha > VAST) return alpha;
    const [grown, shift] = excess(alpha);
    let [m, k, pad, last] = [0, 0, (this.n + 40) * U, [0, 0]];
    for (let step = 0; step < MOST.steps; step++) {
      const [height, gap, d] = this.steepest(m, k);
      const power = 512 + k - shift;
      if (up(height * grown, 2) <= (power > -1000 ? scaled(m, power) : 0)) return levelUp(m, k);
      if (gap === last[0] && d === last[1]) pad *= 2;
      last = [gap, d];
      [m, k] = d === 0 ? [gap * grown, shift - 512] : quotient(gap, d + scaled(1 / grown, 512 - shift));
      [m, k] = [split(m * (1 + pad))[0], k + split(m * (1 + pad))[1]];
      if (k <= 500) [m, k] = [Math.max(scaled(m, k), Number.MIN_VALUE), 0];
    }
    return alpha;
  }

  // The greatest Σ max(0, q_j − d_j − μ d_j) over all pairs of rows, rounded up, and the sums of its columns.
  steepest(m, k) {
    let best = [0, 0, 0];
    for (const d of this.rows) {
      const charged = d.map((x) => scaled(x, k) * (m * (1 - 12 * U)));
      for (const q of this.rows) {
        let [height, gap, sum] = [0, 0, 0];
        for (let j = 0; j < this.n; j++) {
          const difference = (q[j] - d[j]) * (1 + 4 * U);
          if (difference <= charged[j]) continue;
          height += difference - charged[j];
          gap += difference;
          sum += d[j];
        }
        if (height > best[0]) best = [height, gap, sum];
      }
    }
    return [up(best[0], this.n + 4), best[1], best[2]];
  }
}

function recursion(epsilons, loss) {
  const levels = [];
  for (const epsilon of epsilons) levels.push(levels.length ? sumUp(epsilon, loss(levels.at(-1))) : epsilon);
  return levels;
}

// The input

const HEX = /^[+-]?0x([0-9a-f]*)(?:\.([0-9a-f]*))?(?:p([+-]?[0-9]{1,6}))?$/i;

function readNumber(value, what) {
  refuseIf(!["string", "number"].includes(typeof value), "InvalidRequest", `${what} is no number`);
  const match = typeof value === "string" ? HEX.exec(value.trim()) : null;
  refuseIf(!match || !(match[1] || match[2]), "InvalidNumber", `${what} is not a double in hexadecimal`);
  const [, whole, places = "", power = "0"] = match;
  let mantissa = BigInt(`0x${whole}${places}`);
  let exponent = Number(power) - 4 * places.length;
  while (mantissa && !(mantissa & 1n)) [mantissa, exponent] = [mantissa >> 1n, exponent + 1];
  const length = mantissa.toString(2).length;
  const fits = mantissa === 0n || (length <= 53 && exponent >= -1074 && exponent + length <= 1024);
  refuseIf(!fits, "InvalidNumber", `${what} is not a double`);
  return scaled(Number(mantissa), exponent) * (value.trim()[0] === "-" ? -1 : 1);
}

function readLevel(value, what) {
  const level = value === "inf" ? Infinity : readNumber(value, what);
  const admitted = level >= 0 && (level <= MOST.level || level === Infinity);
  refuseIf(!admitted, "InvalidLevel", `${what} is not between 0 and 10^9, nor inf`);
  return level;
}

function readArray(value, what) {
  refuseIf(!Array.isArray(value), "InvalidRequest", `${what} is not an array`);
  return value;
}

// A double times 2^1074 is an integer.
function exactly(x) {
  const [m, k] = x === 0 ? [0, 0] : split(Math.abs(x));
  return BigInt(Math.sign(x)) * ((BigInt(m * 2 ** 53) << 1074n) >> BigInt(53 - k));
}

function readLoss(value, what) {
  const rows = readArray(value, what).map((row, i) =>
    readArray(row, `${what}, row ${i + 1}`).map((x, j) => readNumber(x, `${what}, row ${i + 1}, column ${j + 1}`)));
  const one = 1n << 1074n;
  let missed = false;
  for (const row of rows) {
    const miss = row.reduce((sum, x) => sum + exactly(x), -one);
    refuseIf((miss < 0n ? -miss : miss) > BigInt(row.length) << 1022n, "NotStochastic", `${what} is not stochastic`);
    missed ||= miss !== 0n;
  }
  const n = rows.length;
  refuseIf(n === 0 || rows.some((row) => row.length !== n), "NotSquare", `${what} is not square`);
  refuseIf(n > MOST.states, "InvalidRequest", `${what} has more than ${MOST.states} states`);
  refuseIf(rows.some((row) => row.some((x) => x < 0)), "NegativeProbability", `${what} has a negative entry`);
  if (missed) throw new Refusal("skipped", "rows that miss 1 by rounding are not divided by their sums here");
  return new Loss(rows);
}

// The wire

function answer(op, input) {
  for (const key of OPERATIONS[op])
    refuseIf(!key.endsWith("?") && !(key in input), "InvalidRequest", `the input lacks ${key}`);
  for (const key in input) {
    const known = OPERATIONS[op].includes(key) || OPERATIONS[op].includes(`${key}?`);
    refuseIf(!known, "InvalidRequest", `the input has the unknown key ${key}`);
  }
  if (op === "loss") {
    const alpha = readLevel(input.alpha, "alpha");
    return text(readLoss(input.matrix, "matrix").at(alpha));
  }
  const epsilons = readArray(input.epsilons, "epsilons").map((x, t) => readLevel(x, `epsilons ${t + 1}`));
  const [backward, forward] = ["backward", "forward"].map((role) => {
    const loss = role in input ? readLoss(input[role], role) : null;
    return (alpha) => (loss ? loss.at(alpha) : 0);
  });
  const sizes = ["backward", "forward"].filter((role) => role in input).map((role) => input[role].length);
  refuseIf(new Set(sizes).size > 1, "InvalidRequest", `matrices of ${sizes.join(" and ")} states`);
  const count = epsilons.length;
  refuseIf(count === 0 || count > MOST.releases, "InvalidRequest", `there are ${count} releases`);
  const bpl = recursion(epsilons, backward);
  const fpl = recursion(epsilons.slice().reverse(), forward).reverse();
  const tpl = bpl.map((level, t) => (t + 1 < fpl.length ? sumUp(level, forward(fpl[t + 1])) : level));
  return { bpl: bpl.map(text), fpl: fpl.map(text), tpl: tpl.map(text) };
}

// A double as the wire has it. JSON numbers would be refused: there is no telling how they are read.
function text(x) {
  if (x === Infinity) return "inf";
  if (x === 0) return "0x0p+0";
  const [m, k] = split(x);
  return `0x${BigInt(m * 2 ** 53).toString(16)}p${k - 53}`;
}

function respond(line) {
  let seq = null;
  try {
    const request = parse(line);
    if (request.op === "stop" && !("seq" in request)) return null;
    if (request.op === "start" && !("seq" in request))
      return { name: "leakage.mjs", version: "1", operations: Object.keys(OPERATIONS), numbers: ["float64"] };
    refuseIf(!["number", "string"].includes(typeof request.seq), "InvalidRequest", "the request has no seq");
    seq = request.seq;
    checkRequest(request);
    return { seq, value: answer(request.op, request.input) };
  } catch (error) {
    if (error.name === "skipped") return { seq, skipped: error.message };
    return { seq, error: { name: error instanceof Refusal ? error.name : "InternalError", message: error.message } };
  }
}

function checkRequest({ seq, op, input, numbers = "rational", want = {}, ...others }) {
  refuseIf(Object.keys(others).length > 0, "InvalidRequest", "the request has an unknown key");
  refuseIf(typeof op !== "string" || !isObject(input), "InvalidRequest", "the request lacks op or input");
  refuseIf(!OTHERS.includes(op) && !Object.hasOwn(OPERATIONS, op), "UnknownOperation", `there is no operation ${op}`);
  const digits = isObject(want) && Object.keys(want).every((key) => key === "digits") ? (want.digits ?? 17) : 0;
  refuseIf(!Number.isInteger(digits) || digits < 1 || digits > 1e5, "InvalidRequest", "want is not understood");
  refuseIf(!["rational", "float64"].includes(numbers), "InvalidRequest", `numbers cannot be ${numbers}`);
  refuseIf(OTHERS.includes(op), "skipped", `${op} is not done here`);
  refuseIf(numbers === "rational", "skipped", "only doubles are taken");
}

function parse(line) {
  try {
    const request = JSON.parse(line);
    if (isObject(request)) return request;
  } catch (error) {
    throw new Refusal("InvalidRequest", error.message);
  }
  throw new Refusal("InvalidRequest", "the request is not an object");
}

for await (const line of createInterface({ input: process.stdin })) {
  const answered = respond(line);
  if (answered === null) break;
  process.stdout.write(`${JSON.stringify(answered)}\n`);
}
