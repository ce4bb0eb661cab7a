// Doubles with a direction, integers of any length beside them, and the contract's errors.
//
// u = 2^−53 bounds the relative error of every operation on doubles as long as nothing underflows; 8u that of exp,
// expm1, log and log1p, which no library rounds correctly. Bounds are written 1 + k·u with k more than the sum of what
// they cover. A number beyond the doubles is [m, k], which stands for m·2^k. The bounds are those of directed_loss.py.

export const U = 2 ** -53;
export const LEAST = Number.MIN_VALUE;
export const SCALE = 2 ** 512; // of probabilities, so that no product that counts underflows
export const [TINY, LARGE] = [2 ** -60, 700]; // levels α: e^α − 1 is α to a double; it nearly overflows

export class Refusal extends Error {
  constructor(name, message) {
    super(message);
    this.name = name;
  }
}

export function refuseIf(condition, name, message) {
  if (condition) throw new Refusal(name, message);
}

const double = new Float64Array(1);
const bits = new BigInt64Array(double.buffer);

export function toBits(x) {
  double[0] = x;
  return bits[0];
}

export function ofBits(pattern) {
  bits[0] = pattern;
  return double[0];
}

export function nextUp(x) {
  if (x === Infinity) return x;
  if (x === 0) return LEAST;
  return ofBits(toBits(x) + (x > 0 ? 1n : -1n));
}

export const nextDown = (x) => -nextUp(-x);

// A double above x·(1 + units·u), and one below x·(1 − units·u) that is not below 0; 0 and ∞ stay.
export const up = (x, units = 0) => (x > 0 ? nextUp(x * (1 + (units + 2) * U)) : 0);
export const down = (x, units = 0) => (x > 0 && x < Infinity ? Math.max(0, nextDown(x * (1 - (units + 2) * U))) : x);

// x = m·2^k with 1/2 ≤ m < 1, for x > 0.
export function split(x) {
  const isSmall = x < 2 ** -1000;
  const k = Number((toBits(isSmall ? x * 2 ** 100 : x) >> 52n) & 0x7ffn) - 1022;
  return [double[0] / 2 ** k, isSmall ? k - 100 : k];
}

export function scaled(x, k) {
  while (k > 1000) [x, k] = [x * 2 ** 1000, k - 1000];
  while (k < -1000) [x, k] = [x * 2 ** -1000, k + 1000];
  return x * 2 ** k;
}

export function quotient(a, b) {
  const [[m, i], [n, j]] = [split(a), split(b)];
  const [value, k] = split(m / n);
  return [value, k + i - j];
}

export function product([a, i], [b, j]) {
  const [value, k] = split(a * b);
  return [value, k + i + j];
}

// [m, k] above e^α − 1 (side 1) or below it (side −1), within 160u, for 0 < α ≤ 3000.
export function excess(alpha, side = 1) {
  if (alpha <= TINY) {
    const [m, k] = split(alpha);
    return [side > 0 ? m * (1 + 2 * U) : m, k]; // α ≤ e^α − 1 ≤ α(1 + α)
  }
  if (alpha <= LARGE) {
    const [m, k] = split(Math.expm1(alpha));
    return [m * (1 + side * 10 * U), k];
  }
  const [m, k] = split(Math.exp(alpha / 8)); // α/8 is exact; the 1 is less than u
  return [m ** 2 * m ** 2 * (m ** 2 * m ** 2) * (1 + side * 80 * U), 8 * k];
}

// log(1 + m·2^k), m > 0, rounded up or down. Where log is taken, log m is small beside k·log 2, and the 1 less than u.
export function level([m, k], side = 1) {
  if (m === 0) return 0;
  const isNear = k + split(m)[1] < 1000;
  const [value, units] = isNear ? [Math.log1p(scaled(m, k)), 8] : [Math.log(m) + k * Math.LN2, 32];
  return side > 0 ? Math.max(up(value, units), LEAST) : down(value, units);
}

// Integers

export function bitLength(n) { // n ≥ 0
  const text = n.toString(16);
  return 4 * text.length - Math.clz32(parseInt(text[0], 16)) + 28;
}

export const shifted = (n, k) => (k >= 0 ? n << BigInt(k) : n >> BigInt(-k));

// A double times 2^1074, which is an integer.
export function exactly(x) {
  if (x === 0) return 0n;
  const [m, k] = split(Math.abs(x));
  const value = (BigInt(m * 2 ** 53) << 1074n) >> BigInt(53 - k);
  return x < 0 ? -value : value;
}

// [m, k] next to n/d: 53 bits, not below it (side 1) or not above it (side −1), n ≥ 0, d > 0.
export function wideDouble(n, d, side, least = -Infinity) {
  if (n === 0n) return [0, 0];
  let k = Math.max(bitLength(n) - bitLength(d) - 53, least);
  let [top, bottom] = k >= 0 ? [n, d << BigInt(k)] : [n << BigInt(-k), d];
  if (top >= bottom << 53n) [bottom, k] = [bottom << 1n, k + 1];
  const whole = top / bottom;
  return [Number(side > 0 && whole * bottom !== top ? whole + 1n : whole), k];
}

// The double next to n/d, d > 0: not below it (side 1) or not above it (side −1).
export function rounded(n, d, side) {
  if (n < 0n) return -rounded(-n, d, -side);
  const value = scaled(...wideDouble(n, d, side, -1074));
  return value === Infinity && side < 0 ? Number.MAX_VALUE : value;
}

const ONE = 1n << 1074n;

// The least double that is not below the sum.
export function sumUp(...values) {
  if (values.includes(Infinity)) return Infinity;
  if (values.length !== 2) return rounded(values.reduce((sum, x) => sum + exactly(x), 0n), ONE, 1);
  const [a, b] = values;
  const sum = a + b;
  const second = sum - a;
  return a - (sum - second) + (b - second) > 0 ? nextUp(sum) : sum; // what is lost is exact, by Knuth
}

export const sumDown = (...values) => -sumUp(...values.map((x) => -x));

export function gcd(a, b) {
  while (b) [a, b] = [b, a % b];
  return a;
}

// The greatest integer whose square is at most n.
export function squareRoot(n) {
  if (n < 2n) return n;
  let root = 1n << BigInt((bitLength(n) + 1) >> 1);
  for (;;) {
    const next = (root + n / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

let logOfTwo = [0n, -1]; // times 2^places, and the places

function logTwo(places) {
  if (logOfTwo[1] < places) {
    let [sum, power] = [0n, (2n << BigInt(places + 32)) / 3n];
    for (let i = 1n; power; i += 2n) [sum, power] = [sum + power / i, power / 9n];
    logOfTwo = [sum >> 32n, places];
  }
  return logOfTwo[0] >> BigInt(logOfTwo[1] - places);
}

// e^x·2^places for x = exact·2^−1074 ≥ 0, as an integer that is less than 2 below it and less than 1 above it.
export function exponentialOf(exact, places) {
  const halvings = 16;
  const work = places + 96 + Number((exact * 3n) >> 1075n);
  let rest = shifted(exact, work - 1074);
  const two = logTwo(work);
  const doublings = rest / two;
  rest = (rest - doublings * two) >> BigInt(halvings);
  let [sum, term] = [1n << BigInt(work), 1n << BigInt(work)];
  for (let i = 1n; term; i++) {
    term = (term * rest) / i >> BigInt(work);
    sum += term;
  }
  for (let i = 0; i < halvings; i++) sum = (sum * sum) >> BigInt(work);
  return shifted(sum, Number(doublings) + places - work);
}

export const exponential = (x, places) => exponentialOf(exactly(x), places);
