"use strict";

const MOST = { states: 40, releases: 100, text: 5e6, cohort: 1e7 };
const at = (id) => document.getElementById(id);
const PATIENCE = 1000; // milliseconds, after which a question that is not answered yet gives way to a new one
let [worker, number, heard, names, source, latest] = [null, 0, 0, [], "", null];

// What was pasted

const fieldsOf = (line) => (/[,;\t]/.test(line.trim()) ? line.split(/[,;\t]/) : line.trim().split(/\s+/)).map((field) => field.trim().replace(/^"(.*)"$/, "$1"));
const NUMBER = /^(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i;

const MISSING = new Set(@MISSING@); // as the commands have them, and the numbers
const CODE = /^(?:@CODE@)$/;

// Refuse what stands for a missing state: a word, or a number apart from the other states.
function checkStates(states) {
  const missing = states.find((state) => MISSING.has(state.toLowerCase()));
  if (missing !== undefined) throw Error(`${missing} says that a state is missing: remove it, or give it a name`);
  const values = states.filter((state) => /^[-+]?\d{1,40}(\.0*)?$/.test(state)).map(Number);
  const [codes, others] = [true, false].map((is) => values.filter((x) => CODE.test(String(x)) === is));
  const [below, above] = [codes.filter((x) => x < 0).map((x) => -x), others.filter((x) => x > 0)];
  const isScale = others.some((x) => x < 0) || (below.every((x) => above.includes(x)) && above.every((x) => below.includes(x)));
  const apart = codes.filter((x) => (x < 0 ? !isScale : x > 5 * Math.max(0, ...others)));
  if (apart.length && apart.length < states.length) throw Error(`${apart[0]} is a number apart from the other states, as stands for what is missing: remove it, or give it a name`);
}

function weightsOf(fields, what) {
  const parsed = fields.map((field) => {
    const match = NUMBER.exec(field);
    if (!match || !(match[1] || match[2])) throw Error(`${what}: ${field} is not a number of at least 0, as 3, 0.25 or 1e-3`);
    return [BigInt(match[1] + (match[2] ?? "")), (match[2] ?? "").length - Number(match[3] ?? 0)];
  });
  const places = Math.max(0, ...parsed.map(([, digits]) => digits));
  const row = parsed.map(([whole, digits]) => whole * 10n ** BigInt(places - digits));
  const sum = row.reduce((all, x) => all + x, 0n);
  if (sum === 0n) throw Error(`${what} has no positive entry: of a state that is never left, as death, the entry of itself is positive`);
  return { row, isOne: sum === 10n ** BigInt(places), isWhole: places === 0 };
}

function read(text) {
  const lines = text.split(/\r?\n/).filter((line) => line.trim());
  const comment = lines.find((line) => /^\s*(#(?!n\/?a\b)|\/\/|%(?=[\p{L}\p{N}_]))/iu.test(line));
  if (comment) throw Error(`a line begins as comments do: ${comment}: remove it`);
  if (!lines.length) throw Error("there is nothing to read: paste a row for each state");
  if (text.trim()[0] === "{") return readJson(text);
  const rows = lines.map(fieldsOf);
  const table = tableIn(rows);
  if (table) return readTable(...table);
  const isLog = rows.length > 1 && rows.every((row) => row.length === 3) && rows.slice(1).some((row) => !NUMBER.test(row[2]) || !NUMBER.test(row[0]));
  return isLog ? readLog(rows) : readTable(rows);
}

// The entries of a table, by row, and the names of its states, where a header or a first column has them.
function tableIn(rows) {
  const isName = (field) => field !== "" && !NUMBER.test(field);
  const head = rows.length > 1 && rows[0].slice(1).every(isName) && rows[0].some(isName) ? rows[0] : null;
  const body = head ? rows.slice(1) : rows;
  const n = body.length;
  const hasIndex = body.every((row) => row.length === n + 1 && (head || isName(row[0])));
  const cells = hasIndex ? body.map((row) => row.slice(1)) : body;
  if (cells.some((row) => row.length !== n || row.some(isName)) || (head && head.length !== n && !(hasIndex && head.length === n + 1))) return null;
  const [columns, index] = [head?.slice(-n), hasIndex ? body.map((row) => row[0]) : undefined];
  const states = columns ?? index;
  if (!states) return [cells];
  if (new Set(states).size < n) throw Error("two states have the same name");
  const order = states.map((state) => (index ?? states).indexOf(state));
  return order.includes(-1) ? null : [order.map((at) => cells[at]), states];
}

function readJson(text) {
  const { counts, states, first } = JSON.parse(text);
  for (const [key, value] of Object.entries({ counts, states, first })) if (!Array.isArray(value)) throw Error(`the object of counts lacks the key '${key}'`);
  return readTable(counts.map((row) => row.map(String)), states, "counts.json");
}

function readTable(rows, states, file) {
  const isWrong = rows.find((row) => row.length !== rows.length);
  if (isWrong) throw Error(`${rows.length} rows, and one of ${isWrong.length} entries: a table has to be square, and a log has three columns, user, time and state`);
  if (states) checkStates(states);
  const read = rows.map((row, i) => weightsOf(row, `row ${i + 1}`));
  const labels = states ?? rows.map((_, i) => `${i + 1}`);
  if (read.every(({ isOne }) => isOne)) {
    const forward = read.map(({ row }) => row);
    return { names: labels, given: [reversal(forward, labels), forward], files: "--forward matrix.csv", source: "a matrix of probabilities; P^B is its reversal under the stationary distribution" };
  }
  if (!read.every(({ isWhole }) => isWhole)) throw Error("the rows are neither counts nor probabilities that sum to exactly 1");
  return fromCounts(read.map(({ row }) => row), labels, file ?? "counts.csv", file ? "" : " --entries counts");
}

// As a command takes counts: P^B is the reversal of P^F, and totals are no state.
function fromCounts(counts, labels, file, reading = "") {
  const all = counts.flat().reduce((sum, x) => sum + x, 0n);
  const totals = totalsIn(counts) ?? totalsIn(counts.map((_, j) => counts.map((row) => row[j])));
  if (totals !== undefined) throw Error(`state ${labels[totals]} has the totals of the others: remove its row and its column`);
  return { names: labels, given: [reversal(counts, labels), counts], files: `--forward ${file}${reading}`, source: `${all.toLocaleString("en")} counted transitions; P^B is the reversal of P^F under its stationary distribution, and the uncertainty of the estimate not included` };
}

// The last column, or the first, where it has the sums of the others.
function totalsIn(rows) {
  const isSum = (at) => rows.every((row) => 2n * row[at] === row.reduce((sum, x) => sum + x, 0n)) && rows.filter((row) => row[at]).length > 1;
  return rows.length < 3 ? undefined : [rows.length - 1, 0].find(isSum);
}

function readLog(rows) {
  const body = NUMBER.test(rows[0][1]) || !Number.isNaN(Date.parse(rows[0][1])) ? rows : rows.slice(1);
  const timeOf = (text) => (NUMBER.test(text) ? Number(text) : Date.parse(text));
  const byUser = new Map();
  for (const [user, time, state] of body) {
    if (Number.isNaN(timeOf(time))) throw Error(`${time} is no time: a number, or as 2024-05-01T08:00`);
    const visits = byUser.get(user) ?? [];
    if (visits.some(([other]) => other === timeOf(time))) throw Error(`user ${user} has two visits at ${time}: their order is not known`);
    byUser.set(user, [...visits, [timeOf(time), state]]);
  }
  const labels = [...new Set(body.map(([, , state]) => state))].sort();
  checkStates(labels);
  const counts = labels.map(() => labels.map(() => 0n));
  for (const visits of byUser.values()) {
    visits.sort((a, b) => a[0] - b[0]);
    for (let t = 1; t < visits.length; t++) counts[labels.indexOf(visits[t - 1][1])][labels.indexOf(visits[t][1])] += 1n;
  }
  const command = "tploracle estimate log.csv --user user --time time --state state";
  const ends = at("ends").value.split(",").map((state) => state.trim()).filter(Boolean);
  if (ends.length) return cohortOf(counts, labels, ends, [...byUser.values()].map(([[, first]]) => first), command);
  const never = counts.findIndex((row) => row.every((x) => x === 0n));
  if (never >= 0) throw Error(`nothing follows state ${labels[never]} in the log: leave it out, or name it as never left`);
  return { ...fromCounts(counts, labels, "counts.json"), first: `${command} --counts > counts.json` };
}

// Persons who begin as those of the log do, and states that are never left: P^B of each step follows from both.
function cohortOf(counts, labels, ends, begun, command) {
  for (const end of ends) {
    const place = labels.indexOf(end);
    if (place < 0) throw Error(`${end} is no state of the log`);
    if (counts[place].some((x, k) => x !== 0n && k !== place)) throw Error(`state ${end} is left in the log`);
    counts[place][place] = 1n;
  }
  const never = counts.findIndex((row) => row.every((x) => x === 0n));
  if (never >= 0) throw Error(`nothing follows state ${labels[never]} in the log: leave it out, or name it as never left`);
  const [steps, first] = [at("steps").valueAsNumber, labels.map((label) => BigInt(begun.filter((state) => state === label).length))];
  if (labels.length ** 4 * steps ** 2 > MOST.cohort) throw Error("too many states or releases for persons who come to an end here: the command line takes more");
  const whole = `${command}${ends.map((end) => ` --absorbing ${end}`).join("")} --steps ${steps} > cohort.json`;
  const backward = reversals(counts, first, steps - 1);
  return { names: labels, given: [...backward, counts], ends, files: "--backward cohort.json --forward cohort.json", first: whole, source: "a log of persons who come to an end; P^B of each step by Bayes' rule, from the states in which they begin" };
}

// P^B of each step as weights. A value that cannot occur there has the row of the most probable one.
function reversals(forward, first, steps) {
  const sums = forward.map((row) => row.reduce((sum, x) => sum + x, 0n));
  const all = sums.reduce((product, sum) => product * sum, 1n);
  let now = first;
  return Array.from({ length: steps }, () => {
    const joint = forward.map((_, k) => forward.map((row, j) => (now[j] * row[k] * all) / sums[j]));
    now = joint.map((row) => row.reduce((sum, x) => sum + x, 0n));
    const usual = now.indexOf(now.reduce((most, x) => (x > most ? x : most)));
    return joint.map((row, k) => (now[k] ? row : joint[usual]));
  });
}

// P^B of a stationary chain, as weights: P(i, j)·π(i) by j. π by elimination in integers; null where it is not unique.
function reversal(rows, labels) {
  const n = rows.length;
  const end = rows.findIndex((row, i) => n > 1 && row.every((x, j) => (x !== 0n) === (i === j)));
  if (end >= 0) throw Error(`no reversal follows: ${labels[end]} is never left, and P^B changes from step to step. It depends on how persons begin: paste a log, and name ${labels[end]} as never left`);
  const m = rows.map((_, j) => rows.map((row, i) => row[j] - (i === j ? row.reduce((sum, x) => sum + x, 0n) : 0n)));
  let last = 1n;
  for (let step = 0; step < n - 1; step++) {
    const place = m.findIndex((row, i) => i >= step && row[step] !== 0n);
    if (place < 0) throw Error("the chain has several stationary distributions, so that no reversal follows");
    [m[step], m[place]] = [m[place], m[step]];
    for (let i = step + 1; i < n; i++) {
      for (let j = n - 1; j >= step; j--) m[i][j] = (m[i][j] * m[step][step] - m[i][step] * m[step][j]) / last;
    }
    last = m[step][step];
  }
  const weights = new Array(n).fill(0n);
  weights[n - 1] = last < 0n ? -last : last;
  for (let i = n - 2; i >= 0; i--) {
    let sum = 0n;
    for (let j = i + 1; j < n; j++) sum -= m[i][j] * weights[j];
    weights[i] = sum / m[i][i];
  }
  if (weights.some((x) => x <= 0n)) throw Error("some states are left for good, so that no reversal follows: tploracle estimate --steps T writes both correlations of a cohort over T releases");
  return rows.map((_, j) => rows.map((row, i) => row[j] * weights[i]));
}

// Numbers, rounded to the safe side: the double is above the truth for leakage, below it for budgets.

// A level that is the budget, or α, itself: the double that it is worked out with, and what was typed.
let typed = new Map();

function shown(level, side) {
  const x = typed.get(level) ?? level;
  if (x === Infinity) return "∞";
  if (x === 0) return "0";
  const unit = 10 ** (Math.floor(Math.log10(x)) - 5);
  let digits = Number(x.toPrecision(6));
  if (side > 0 && digits < x) digits += unit;
  if (side < 0 && digits > x) digits -= unit;
  return String(Number(digits.toPrecision(6)));
}

const odds = (level) => (level > 600 ? "beyond any number" : shown(Math.exp(level) * (1 + 1e-15), 1));
const element = (name, text, into) => {
  const made = document.createElement(name);
  made.textContent = text;
  into?.append(made);
  return made;
};

// Writes a text of ours, the letters after ^ raised.
function write(text, into) {
  into.replaceChildren();
  for (const [i, part] of text.split(/\^(\p{L})/u).entries()) i % 2 ? element("sup", part, into) : into.append(part);
}

function table(head, rows, into) {
  const box = element("div", "", into);
  box.className = "scroll";
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", head[0] || "table");
  const made = element("table", "", box);
  const first = element("tr", "", element("thead", "", made));
  for (const text of head) element(text ? "th" : "td", text, first);
  const body = element("tbody", "", made);
  for (const [label, ...cells] of rows) {
    const row = element("tr", "", body);
    element("th", label, row).scope = "row";
    for (const cell of cells) element("td", cell, row);
  }
}

// The picture: solid for the exact worst case, dashed for the paper's bound, and a mark for each quantity

const CURVES = [["tpl", "TPL", "M0 -5L4.5 3.5H-4.5Z"], ["bpl", "BPL", "M-4 0A4 4 0 1 0 4 0A4 4 0 1 0 -4 0"], ["fpl", "FPL", "M-3.5 -3.5H3.5V3.5H-3.5Z"]];
const MODELS = [["bound", "--bound", "6 4", "paper's bound"], ["exact", "--exact", "", "exact worst case"]];
const MARKS = 12; // on each curve, about

// Round numbers from 0 to most, about so many.
function ticksOf(most, count) {
  const power = 10 ** Math.floor(Math.log10(most / count));
  const unit = [1, 2, 5, 10].map((digit) => digit * power).find((step) => most / step <= count);
  return Array.from({ length: Math.floor(most / unit) + 1 }, (_, i) => Number((i * unit).toPrecision(12)));
}

function drawn(found) {
  const [width, left, top, right, bottom] = [at("curves").clientWidth, 48, 26, 12, 116];
  const [count, height] = [found.exact.tpl.length, 400];
  const [across, down] = [width - left - right, height - top - bottom];
  const most = Math.max(...found.bound.tpl.filter(Number.isFinite), found.exact.peak) * 1.06 || 1;
  const x = (t) => left + across * (count > 1 ? t / (count - 1) : 0.5);
  const y = (level) => top + down * (1 - Math.min(level, most) / most);
  const text = (x, y, anchor, what) => `<text x="${x}" y="${y}" text-anchor="${anchor}">${what}</text>`;
  const line = (path, [, colour, dash]) => `<path d="${path}" fill="none" stroke="var(${colour})" stroke-width="1.8" stroke-dasharray="${dash}"/>`;
  const mark = (x, y, [, , shape], [, colour]) => `<path d="${shape}" transform="translate(${x} ${y})" fill="var(${colour})"/>`;
  const parts = [text(left - 40, 14, "start", "leakage (nats)"), text(left + across / 2, top + down + 38, "middle", "time (release)")];
  for (const level of ticksOf(most, 6))
    parts.push(`<path d="M${left} ${y(level)}H${width - right}" stroke="var(--rule)" stroke-opacity=".35"/>`, text(left - 6, y(level) + 4, "end", level));
  for (const t of ticksOf(count, across / 60)) if (Number.isInteger(t) && t > 0) parts.push(text(x(t - 1), top + down + 18, "middle", t));
  for (const [column, model] of MODELS.entries())
    for (const [row, curve] of CURVES.entries()) {
      const points = found[model[0]][curve[0]].map((level, t) => [x(t).toFixed(1), y(level).toFixed(1)]);
      parts.push(line(`M${points.map((point) => point.join(" ")).join("L")}`, model));
      for (let t = 0; t < count; t += Math.ceil(count / MARKS)) parts.push(mark(...points[t], curve, model));
      const [from, level] = [4 + (1 - column) * Math.min(width / 2, 240), height - bottom + 64 + 18 * row];
      parts.push(line(`M${from} ${level}h28`, model), mark(from + 14, level, curve, model), text(from + 34, level + 4, "start", `${curve[1]}, ${model[3]}`));
    }
  const label = `Curves over ${count} releases: TPL is at most ${shown(found.exact.peak, 1)} in the exact worst case, ${shown(Math.max(...found.bound.tpl), 1)} by the paper's bound`;
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${parts.join("")}</svg>`;
}

// The answers

const show = {
  curves(found) {
    const [{ peak, time }, bound] = [found.exact, Math.max(...found.bound.tpl)];
    const answer = at("answer");
    answer.replaceChildren();
    element("p", `${found.exact.tpl.length === 1 ? "One release leaks" : `${found.exact.tpl.length} releases leak`} at most ${shown(peak, 1)} nats about the value at any one time, in the exact worst case. The paper's bound is ${shown(bound, 1)}.`, answer).className = "large";
    element("p", `Whatever the adversary believed before, the odds between two values of a person at one time change by a factor of at most ${odds(peak)}; one release alone would change them by at most ${odds(Number(at("epsilon").value))}.`, answer);
    latest = found;
    at("curves").innerHTML = drawn(found);
    element("p", "TPL: what all releases reveal. BPL: those up to each time. FPL: those from each time on.", at("curves"));
    const sets = at("sets");
    sets.replaceChildren();
    if (!found.pair) return void element("p", "No other release tells anything about a value: each reveals its own ε.", sets);
    element("p", `Most is revealed at release ${time + 1}, between the values ${names[found.pair[0]]} and ${names[found.pair[1]]}. A mechanism that asks by randomised response “is the value in this set?”, and hears “yes” each time, attains it:`, sets);
    const rows = found.sets.map((set, t) => [`${t + 1}`, t === time ? names[found.pair[0]] : set ? set.map((a) => names[a]).join(", ") : "none: it adds nothing"]);
    table(["Release", "The set"], rows.slice(Math.max(0, time - 4), time + 5), sets);
    if (rows.length > 9) element("p", "Shown are the releases nearest to it.", sets);
  },
  ever(found) {
    if (found.ends) return void element("p", `${found.ends.join(", ")} is never left: its share grows, and with it P^B changes from step to step. No constant budget lasts for ever.`, at("answer"));
    element("p", `Over an infinite horizon it rises to ${shown(found.exact, 1)}; by the paper's bound to ${shown(found.bound, 1)}.`, at("answer"));
  },
  budgets({ steps, ever }) {
    const into = at("budgets");
    into.replaceChildren();
    const cell = (x) => (x === 0 ? "none" : shown(x, -1));
    table(["", "Exact worst case", "Paper's bound"], [
      [`The same ε for ${at("steps").value} release${at("steps").value === "1" ? "" : "s"}`, cell(steps.exact), cell(steps.bound)],
      ["The same ε over an infinite horizon", cell(ever.exact), cell(ever.bound)],
    ], into);
    write(at("message").dataset.read, at("message"));
    document.body.dataset.done = number;
  },
  error({ message }) {
    refuse(message);
  },
};

function refuse(message) {
  at("message").textContent = message;
  at("message").className = "wrong";
  latest = null;
  for (const id of ["answer", "curves", "budgets", "who", "command", "sets"]) at(id).replaceChildren(); // of other data
}

function ask() {
  const [epsilon, alpha, steps] = ["epsilon", "alpha", "steps"].map((id) => at(id).valueAsNumber);
  try {
    for (const [id, letter, kind] of [["epsilon", "ε", "a number"], ["steps", "T", "a whole number"], ["alpha", "α", "a number"]]) {
      const { min, max, value, validity } = at(id);
      if (!validity.valid) throw Error(`${letter} ${value === "" ? "is no number" : `is ${value}`}: give ${kind} from ${min} to ${max}`);
    }
    const found = read(at("data").value.slice(0, MOST.text));
    if (found.names.length > MOST.states) throw Error(`${found.names.length} states: this page takes up to ${MOST.states}; the command line takes 1,000`);
    [names, source] = [found.names, found.source];
    at("message").className = "";
    at("message").dataset.read = `${names.length} states, from ${source}.`;
    write(`${at("message").dataset.read} Working …`, at("message"));
    write(`The adversary knows how people move on, P^F, and where they came from, P^B (${source}), everybody else's data, and none of this person's other values, and sees all releases. The mechanisms are all in which changing one value at one time changes likelihoods by a factor of at most e^ε; FPL is for mechanisms that do not read earlier outputs. Chain: first order, the same at all times, for everybody: not tested. Where it does not fit, more may leak; tploracle fit tests a log.`, at("who"));
    const command = `tploracle leakage ${found.files} --epsilon ${epsilon} --steps ${steps}`;
    at("command").textContent = [found.first, command].filter(Boolean).join("\n");
    const given = found.given.map((rows) => rows.map((row) => row.map(String)));
    if (performance.now() - heard > PATIENCE && document.body.dataset.done !== `${number}`) {
      worker?.terminate();
      worker = null;
    }
    worker ??= new Worker(URL.createObjectURL(new Blob([at("worker").textContent], { type: "text/javascript" })));
    [number, heard] = [number + 1, performance.now()];
    worker.onmessage = ({ data }) => {
      heard = performance.now();
      if (data.number === number) show[data.part](data);
    };
    // The doubles next to what was typed: a leakage of more than ε, a budget of less than α.
    const [above, below] = [epsilon * (1 + 2 ** -52), alpha * (1 - 2 ** -52)];
    typed = new Map([[above, epsilon], [below, alpha]]);
    worker.postMessage({ number, given, ends: found.ends, epsilon: above, alpha: below, steps });
  } catch (error) {
    number += 1; // what is still being worked out is of other data
    refuse(error.message);
  }
}

for (const [id, isLogarithmic] of [["epsilon", true], ["alpha", true], ["steps", false]]) {
  const [field, slide] = [at(id), at(`${id}Slide`)];
  slide.oninput = () => {
    field.value = isLogarithmic ? Number((10 ** slide.valueAsNumber).toPrecision(2)) : slide.value;
    ask();
  };
  field.oninput = () => {
    slide.value = isLogarithmic ? Math.log10(field.valueAsNumber) : field.value;
    ask();
  };
}
at("data").oninput = at("ends").oninput = ask;
onresize = () => latest && at("curves").firstChild.replaceWith(document.createRange().createContextualFragment(drawn(latest)));
at("form").onsubmit = (event) => event.preventDefault();
const take = async (file) => {
  if (file) at("data").value = await file.text();
  ask();
};
at("file").onchange = () => take(at("file").files[0]);
at("data").ondragover = (event) => event.preventDefault();
at("data").ondrop = (event) => {
  if (!event.dataTransfer.files.length) return;
  event.preventDefault();
  take(event.dataTransfer.files[0]);
};
ask();
