// Privacy loss and leakage on the contract's wire, in Rust without crates: a starter.
//
//     rustc -O -o leakage leakage.rs && tploracle conform --lenient -- ./leakage
//
// It is sent valid questions only (--lenient), doubles in decimal, which parse::<f64> reads exactly and {:e} writes. The
// mathematics is that of docs/implementers.md: search as you like, then prove, with every rounding upwards.

use std::io::{self, BufRead, Write};

// The mathematics

const U: f64 = 1.0 / (1u64 << 53) as f64;
const TINY: f64 = 1.0 / (1u64 << 60) as f64;

type Matrix = Vec<Vec<f64>>;

fn next_up(x: f64) -> f64 {
    if x == f64::INFINITY { x } else { f64::from_bits(x.to_bits() + 1) }
}

fn up(x: f64, units: f64) -> f64 {
    if x > 0.0 { next_up(x * (1.0 + (units + 2.0) * U)) } else { 0.0 }
}

// L where e^alpha overflows: e^L is at most the greatest q/d, or q e^alpha where d is 0.
fn beyond(matrix: &Matrix, alpha: f64) -> f64 {
    let (mut ratio, mut alone) = (0.0_f64, 0.0_f64);
    for d in matrix {
        for q in matrix {
            let mut mass = 0.0;
            for (q, d) in q.iter().zip(d) {
                if *d == 0.0 { mass += q } else { ratio = ratio.max((q - d) / d) }
            }
            alone = alone.max(mass);
        }
    }
    let mass = up(alone, matrix.len() as f64).min(1.0);
    let reach = if alone > 0.0 { up(alpha + mass.ln(), 16.0) } else { 0.0 };
    reach.max(up((ratio * (1.0 + 8.0 * U)).ln_1p(), 8.0))
}

fn loss(matrix: &Matrix, alpha: f64) -> f64 {
    if alpha > 700.0 {
        return alpha.min(beyond(matrix, alpha));
    }
    let (n, excess, mut mu) = (matrix.len() as f64, alpha.exp_m1() * (1.0 + 10.0 * U), 0.0);
    for attempt in 0..100 {
        let mut best = (0.0, 0.0, 0.0);
        for d in matrix {
            for q in matrix {
                let (mut sum, mut gaps, mut chosen) = (0.0, 0.0, 0.0);
                for (q, d) in q.iter().zip(d) {
                    let gap = (q - d) * (1.0 + 4.0 * U);
                    let term = gap - d * (mu * (1.0 - 8.0 * U));
                    if gap > 0.0 && term > 0.0 {
                        sum += term;
                        gaps += gap;
                        chosen += d;
                    }
                }
                if sum > best.0 { best = (sum, gaps, chosen) }
            }
        }
        if alpha <= TINY {
            return if best.0 > 0.0 { alpha.min(next_up(up(best.0, n) * alpha)) } else { 0.0 };
        }
        if up(best.0 * excess, n + 8.0) <= mu {
            return alpha.min(up(mu.ln_1p(), 8.0));
        }
        mu = best.1 / (best.2 + 1.0 / excess) * (1.0 + (n + 40.0 + 2.0 * attempt as f64) * U);
    }
    alpha
}

fn step(matrix: &Option<Matrix>, epsilon: f64, before: Option<f64>) -> f64 {
    match (matrix, before) {
        (Some(matrix), Some(before)) => up(epsilon + loss(matrix, before), 0.0),
        _ => epsilon,
    }
}

// The wire

// What stands after a key; no value of a valid request looks like a key.
fn after<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.split_once(&format!("\"{key}\":")).map(|(_, rest)| rest.trim_start())
}

fn numbers(text: &str) -> Vec<f64> {
    text.split('"').skip(1).step_by(2).map(|number| number.parse().unwrap()).collect()
}

fn levels(line: &str, key: &str) -> Option<Vec<f64>> {
    after(line, key).map(|rest| numbers(&rest[..rest.find(']').unwrap()]))
}

fn matrix(line: &str, key: &str) -> Option<Matrix> {
    after(line, key).map(|rest| rest[..rest.find("]]").unwrap()].split(']').map(numbers).collect())
}

fn array(levels: &[f64]) -> String {
    let texts: Vec<String> = levels.iter().map(|level| format!("\"{level:e}\"")).collect();
    format!("[{}]", texts.join(", "))
}

fn one_loss(line: &str) -> String {
    let alpha = after(line, "alpha").unwrap().split('"').nth(1).unwrap().parse().unwrap();
    format!("\"{:e}\"", loss(&matrix(line, "matrix").unwrap(), alpha))
}

fn leakage(line: &str) -> String {
    let epsilons = levels(line, "epsilons").unwrap();
    let (backward, forward) = (matrix(line, "backward"), matrix(line, "forward"));
    let (mut bpl, mut fpl): (Vec<f64>, Vec<f64>) = (vec![], vec![]);
    for epsilon in &epsilons {
        bpl.push(step(&backward, *epsilon, bpl.last().copied()));
    }
    for epsilon in epsilons.iter().rev() {
        fpl.push(step(&forward, *epsilon, fpl.last().copied()));
    }
    fpl.reverse();
    let tpl: Vec<f64> = (0..bpl.len()).map(|t| step(&forward, bpl[t], fpl.get(t + 1).copied())).collect();
    format!("{{\"bpl\": {}, \"fpl\": {}, \"tpl\": {}}}", array(&bpl), array(&fpl), array(&tpl))
}

fn main() {
    for line in io::stdin().lock().lines().map(Result::unwrap) {
        let op = after(&line, "op").unwrap().split('"').nth(1).unwrap();
        if op == "stop" {
            break;
        }
        let answer = match op {
            "start" => concat!(
                "\"name\": \"leakage.rs\", \"version\": \"1\", \"operations\": [\"loss\", \"leakage\"], ",
                "\"numbers\": [\"decimal64\"], \"domain\": {\"level\": \"700\", \"releases\": 100}"
            ).to_string(),
            _ => {
                let seq = after(&line, "seq").unwrap().split(',').next().unwrap();
                let value = if op == "loss" { one_loss(&line) } else { leakage(&line) };
                format!("\"seq\": {seq}, \"value\": {value}")
            }
        };
        println!("{{{answer}}}");
        io::stdout().flush().unwrap(); // a pipe is buffered: without this nothing arrives
    }
}
