"""Writes what becomes of the paper's sentences: claims.json for machines, docs/experiments.md for people."""

import json

from . import sentences_leakage, sentences_runtime
from .catalogue import EXPERIMENTS
from .runner import write

HEAD = """# The paper's experiments

`make paper` repeats the experiments of the paper. It writes data and pictures to `build/paper/` (at least one CSV
and one PNG for each experiment), the verdicts to `build/paper/claims.json`, and this page. Existing results are
reused unless their code or parameters have changed; `python -m proofs_checks.experiments --again` repeats all
experiments, `--only NAME` repeats one. The experiments take {seconds:.0f} s. `make paper` then re-checks the
evidence of every claim and writes `build/paper/referee.html`, a referee's report for the authors of the paper: a
summary of one page, then each erratum verbatim, with its best defence, what remains of it, and a witness to check
by hand. If there is a browser (`make browser` installs Debian's chromium), it also writes the report as
`referee.pdf`.

Every level in a CSV is enclosed by `lower` and `upper`, and is exact if it has an `exact` value. Seconds are
processor time on one machine in one run. They vary by up to a factor of two between runs, so a verdict rests on
them only if the difference is larger; otherwise it is *not decided*, or counts operations instead. The pictures of
the paper are not in its source, so only its sentences can be compared with the results. *Reproduces in kind* means
that the result is the same, but with a choice of ours where the text leaves one open, with CBC instead of CPLEX, or
only in part; the last column says which. Words omitted from a sentence are marked …; numbers of algorithms and
figures replace the paper's references.

{counts}

"""

SECTIONS = (
    ("fig_tpl", "Figure 3 [fig:tpl]: leakage over time", ("tpl",)),
    ("fig_example_L_func", "Figure 4 [fig:example_L_func]: the privacy loss function", ("L",)),
    ("fig_example_sup", "Figure 5 [fig:example_sup]: the supremum", ("sup",)),
    ("check_30", "Section 6.1: 100 random matrices against a solver", ("check",)),
    ("fig_ex_runtime_a", "Figure 6 [fig:ex_runtime]: runtime", ("run",)),
    ("fig_ex_tpl", "Figure 7 [fig:ex_tpl]: degrees of correlation", ("s",)),
    ("fig_ex_budgets", "Figure 8 [fig:ex_budgets]: budgets", ("budget",)),
    ("fig_ex_utility", "Figure 9 [fig:ex_utility]: utility", ("utility",)),
)

NOTES = {
    "fig_example_sup": """The text gives neither the matrices nor the ε of the four panels. We use: (a) the identity
and (b) rows (0.8, 0.2), (0, 1), both with ε = 0.23; (c) as (b) with ε = 0.15, which is below log(1/0.8) = 0.2231…;
(d) rows (0.8, 0.2), (0.1, 0.9) with ε = 0.23. Panel (e) is not in the paper: rows (0, 1), (0.5, 0.5) with ε = 0.7,
for which the supremum of the paper's bound is infinite, although no mechanism leaks more than 1.458 nats, however
many releases there are. In the other panels, as in Figure 3, the dashed curve of the exact worst case coincides
with the paper's curve.""",
    "fig_ex_runtime_a": """Each algorithm is run in two versions: exact, as in `reference/`, and in numpy doubles
pair by pair, like the paper's Matlab code (`proofs_checks/experiments/doubles.py`, checked against the exact values
while it is timed). CBC replaces CPLEX: a few programs are solved, and their time is scaled to n(n − 1) programs. In
(c), rings mark extrapolated values, which is possible because all steps of Algorithms 1 and 3 take equally long.
*Dinkelbach* and *envelope* are this project's fast exact methods.""",
    "fig_ex_tpl": """The text does not define a *noticeable increase*. We use four definitions: until 90, 95 or 99 %
of the supremum is reached, or until the last step of at least ε/100. The table `fig_ex_tpl_suprema.csv` has them
for s beyond the paper's range too, because no curve within this range agrees with s-6 and s-7. Two other readings
agree better, but neither makes all of the sentences true. With s five or ten times smaller than printed (0.001,
0.0005; n = 50), 90 % is reached at t = 8–9 and 69–75, and n = 200 leaks less, but the supremum at ε = 0.1 is still
55–63 % of that at ε = 1. With s/n added to each entry (s = 0.005 is then 0.0001 here for n = 50, 0.000025 for n =
200), 90 % is reached at t = 10–11 and 73–82, and the supremum at ε = 0.1 is 71–75 % of that at ε = 1, but then n =
200 leaks more than n = 50.""",
    "fig_ex_utility": """The noise is E|Lap(Δ/ε_t)| = Δ/ε_t, averaged over t, with Δ = 1. The text gives neither n
nor Δ, nor T in (b); we use n = 50 and T = 10.""",
}

EXTRA = {"fig_ex_runtime_a": ("fig_ex_runtime_b", "fig_ex_runtime_c", "fig_ex_runtime_d")}


def findings(data):
    """Judge every sentence. Returns: claims and findings, in order of the page."""
    claims = (*sentences_leakage.SENTENCES, *sentences_runtime.SENTENCES)
    return [(claim, claim.finding(data)) for claim in claims]


def write_claims(path, judged):
    """Write the verdicts for machines."""
    rows = [
        {
            "id": claim.id,
            "section": claim.section,
            "quote": claim.quote,
            "experiments": list(claim.experiments),
            "verdict": found.verdict,
            "because": found.because,
            "numbers": found.numbers,
        }
        for claim, found in judged
    ]
    write(path, (json.dumps(rows, indent=1, ensure_ascii=False) + "\n").encode())


def tally(judged):
    """Return how many sentences have each verdict, most first."""
    verdicts = [found.verdict for _, found in judged]
    return {name: verdicts.count(name) for name in sorted(set(verdicts), key=verdicts.count, reverse=True)}


def write_page(path, judged, stamps):
    """Write the page for people; stamps: what each experiment left, by name."""
    counts = ", ".join(f"{many} *{verdict}*" for verdict, many in tally(judged).items())
    text = HEAD.format(
        seconds=sum(stamp["seconds"] for stamp in stamps.values()), counts=f"Of {len(judged)} sentences: {counts}."
    )
    for name, title, families in SECTIONS:
        text += f"## {title}\n\n"
        if name in NOTES:
            text += NOTES[name] + "\n\n"
        for picture in (name, *EXTRA.get(name, ())):
            text += f"![{stamps[picture]['label']}](figures/{picture}.png)\n\n"
        text += "| | section | the paper says | verdict | ours |\n|---|---|---|---|---|\n"
        for claim, found in judged:
            if claim.id.rsplit("-", 1)[0] in families:
                cells = (claim.id, claim.section, f"“{claim.quote}”", f"**{found.verdict}**", found.because)
                text += "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
        text += "\n"
    write(path, (text.rstrip() + "\n").encode())


def report(place, page):
    """Write claims.json and the page from what the experiments left. Returns: those that have left nothing."""
    stamps = {each.name: place.stamp(each) for each in EXPERIMENTS}
    missing = [name for name, stamp in stamps.items() if stamp is None]
    if not missing:
        judged = findings({each.name: place.tables(each) for each in EXPERIMENTS})
        write_claims(place.results / "claims.json", judged)
        write_page(page, judged, stamps)
    return missing
