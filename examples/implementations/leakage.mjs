// The contract's operations on its wire, in JavaScript without packages: no level is below the truth, no budget above it.
//
//     tploracle conform -- node examples/implementations/leakage.mjs
//
// Here requests are read and answered; javascript/ has the mathematics, in doubles that are searched for with any
// rounding and verified with every rounding on the safe side, and in integers where doubles do not decide. The page to
// play with in the documentation runs the same files in the browser.

import { createInterface } from "node:readline";

import { chainOfDoubles } from "./javascript/chain.mjs";
import { Refusal, refuseIf, scaled, split } from "./javascript/numbers.mjs";
import { operations } from "./javascript/operations.mjs";

const MOST = { states: 1000, releases: 10000, level: 1e9 };
const HEX = /^[+-]?0x([0-9a-f]*)(?:\.([0-9a-f]*))?(?:p([+-]?[0-9]{1,6}))?$/i;
const KEYS = {
  loss: ["matrix", "alpha"],
  loss_function: ["matrix"],
  leakage: ["backward?", "forward?", "epsilons"],
  supremum: ["matrix", "epsilon"],
  composition: ["backward?", "forward?", "epsilons", "start", "length"],
  allocate: ["backward?", "forward?", "alpha", "method", "horizon?"],
  control: ["matrix", "previous", "cap"],
  smooth: ["n?", "matrix?", "s"],
  reverse: ["forward", "initial"],
  estimate: ["sequences", "smoothing?"],
  worst_case_leakage: ["backward?", "forward?", "epsilons"],
  worst_case_supremum: ["backward?", "forward?", "epsilon"],
  worst_case_allocate: ["backward?", "forward?", "alpha", "horizon?"],
};
const READERS = {
  ...Object.fromEntries(["matrix", "backward", "forward"].map((key) => [key, readChain])),
  ...Object.fromEntries(["alpha", "epsilon", "previous", "cap"].map((key) => [key, readLevel])),
  ...Object.fromEntries(["start", "length", "horizon", "n"].map((key) => [key, readCount])),
  ...Object.fromEntries(["s", "smoothing"].map((key) => [key, readNumber])),
  epsilons: (value, what) => readArray(value, what, MOST.releases).map((x, t) => readLevel(x, `${what} ${t + 1}`)),
  initial: (value, what) => readArray(value, what, MOST.states).map((x, i) => readNumber(x, `${what} ${i + 1}`)),
  sequences: readSequences,
  method: (value) => value,
};

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

// The input

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
  return mantissa === 0n ? 0 : scaled(Number(mantissa), exponent) * (value.trim()[0] === "-" ? -1 : 1);
}

function readLevel(value, what) {
  const level = value === "inf" ? Infinity : readNumber(value, what);
  const isAdmitted = level >= 0 && (level <= MOST.level || level === Infinity);
  refuseIf(!isAdmitted, "InvalidLevel", `${what} is not between 0 and 10^9, nor inf`);
  return level;
}

function readCount(value, what) {
  refuseIf(!Number.isInteger(value), "InvalidRequest", `${what} is not an integer`);
  const most = what === "n" ? MOST.states : MOST.releases;
  refuseIf(value < 1 || value > most, "InvalidRequest", `${what} is not between 1 and ${most}`);
  return value;
}

function readArray(value, what, most = Infinity) {
  refuseIf(!Array.isArray(value), "InvalidRequest", `${what} is not an array`);
  refuseIf(most < Infinity && value.length === 0, "InvalidRequest", `${what} is empty`);
  refuseIf(value.length > most, "InvalidRequest", `${what} has more than ${most} entries`);
  return value;
}

function readChain(value, what) {
  const rows = readArray(value, what).map((row, i) =>
    readArray(row, `${what}, row ${i + 1}`).map((x, j) => readNumber(x, `${what}, row ${i + 1}, column ${j + 1}`)));
  return chainOfDoubles(rows, what);
}

function readSequences(value, what) {
  return readArray(value, what).map((sequence, i) =>
    readArray(sequence, `${what} ${i + 1}`).map((name) => {
      refuseIf(typeof name !== "string", "InvalidRequest", `${what} ${i + 1} has a state that is no text`);
      return name;
    }));
}

function readInput(op, input) {
  const names = KEYS[op].map((key) => key.replace("?", ""));
  for (const key of KEYS[op]) {
    refuseIf(!key.endsWith("?") && !(key in input), "InvalidRequest", `the input lacks ${key}`);
  }
  for (const key in input) refuseIf(!names.includes(key), "InvalidRequest", `the input has the unknown key ${key}`);
  const present = names.filter((key) => key in input);
  const read = Object.fromEntries(present.map((key) => [key, READERS[key](input[key], key)]));
  const sizes = new Set([read.backward, read.forward].filter(Boolean).map((chain) => chain.n));
  refuseIf(sizes.size > 1, "InvalidRequest", `matrices of ${[...sizes].join(" and ")} states`);
  return read;
}

// The wire

// A value as the wire has it: doubles in hexadecimal, for JSON numbers would be refused.
function written(value) {
  if (Array.isArray(value)) return value.map(written);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, written(inner)]));
  if (typeof value === "string") return value;
  if (value === Infinity) return "inf";
  if (value === 0) return "0x0p+0";
  const [m, k] = split(value);
  return `0x${BigInt(m * 2 ** 53).toString(16)}p${k - 53}`;
}

function respond(line) {
  let seq = null;
  try {
    const request = parse(line);
    if (request.op === "stop" && !("seq" in request)) return null;
    if (request.op === "start" && !("seq" in request))
      return { name: "leakage.mjs", version: "2", operations: Object.keys(operations), numbers: ["float64"] };
    refuseIf(!["number", "string"].includes(typeof request.seq), "InvalidRequest", "the request has no seq");
    seq = request.seq;
    checkRequest(request);
    if ((request.numbers ?? "rational") === "rational") return { seq, skipped: "only doubles are taken" };
    return { seq, value: written(operations[request.op](readInput(request.op, request.input))) };
  } catch (error) {
    return { seq, error: { name: error instanceof Refusal ? error.name : "InternalError", message: error.message } };
  }
}

function checkRequest({ seq, op, input, numbers = "rational", want = {}, ...others }) {
  refuseIf(Object.keys(others).length > 0, "InvalidRequest", "the request has an unknown key");
  refuseIf(typeof op !== "string" || !isObject(input), "InvalidRequest", "the request lacks op or input");
  refuseIf(!Object.hasOwn(operations, op), "UnknownOperation", `there is no operation ${op}`);
  const digits = isObject(want) && Object.keys(want).every((key) => key === "digits") ? (want.digits ?? 17) : 0;
  refuseIf(!Number.isInteger(digits) || digits < 1 || digits > 1e5, "InvalidRequest", "want is not understood");
  refuseIf(!["rational", "float64"].includes(numbers), "InvalidRequest", `numbers cannot be ${numbers}`);
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
