"""What commands refuse: one line with the contract's name of the error, status 2, nothing else; one list for all."""

import json
import shlex

import pytest
from click.testing import CliRunner

import tploracle
from tploracle import InvalidRequest
from tploracle.cli.main import main

from ...commands import refused, run
from ...fuzz import files
from ...matrices import DIVERGES, MODERATE, SKEWED, texts_of

FOUR = "--epsilon 1 --steps 4"
MS = "--backward m.csv --forward m.csv"
SIZES = "--backward m.csv --forward d.csv"
REFUSED = [
    ("loss no.csv --alpha 1", "InvalidRequest: no.csv: cannot be read: No such file or directory"),
    ("loss 'no\nfile' --alpha 1", "InvalidRequest: no file: cannot be read"),
    ("loss m.csv --alpha -1", "InvalidLevel: --alpha 1: '-1': a privacy level is at least 0"),
    ("loss m.csv --alpha 'x\ny'", "InvalidNumber: --alpha 1: "),
    ("loss m.csv --alpha 1 --digits 0", "InvalidRequest: digits is at least 1"),
    ("loss m.csv --alpha 1 --digits 100001", "InvalidRequest: too large"),
    ("loss m.csv --alpha 1 --json --csv", "InvalidRequest: --json and --csv"),
    ("loss counts.json --alpha 1", "InvalidRequest: "),
    ("leakage --epsilon 1", "InvalidRequest: --epsilon needs --steps"),
    ("leakage --steps 1", "InvalidRequest: give either --epsilon"),
    ("leakage --epsilon 1 --epsilons 1", "InvalidRequest: give either --epsilon"),
    ("leakage --epsilons 1 --steps 1", "InvalidRequest: --steps belongs to --epsilon"),
    ("leakage --epsilon 1 --steps 0", "InvalidRequest: --steps is at least 1"),
    ("leakage --epsilon 1 --steps 10001", "InvalidRequest: too large: 10001 releases"),
    ("leakage --epsilon 1 --steps 2 --at 3", "InvalidRequest: --at: 3 is beyond"),
    ("leakage --epsilon 1 --steps 2 --at 0", "InvalidRequest: --at: '0'"),
    ("leakage --epsilon 1 --steps 2 --after 3", "InvalidRequest: --after: 3 is beyond"),
    ("leakage --users u.json --matrices cycle " + FOUR, "InvalidRequest: --users excludes --matrices cycle: the file"),
    ("leakage --epsilon 1 --after 1 --users m.csv", "InvalidRequest: m.csv: not JSON"),
    ("smooth -n 0 --s 1", "InvalidRequest: n is at least 1"),
    ("smooth -n 2 --s -1", "InvalidRequest: the smoothing parameter"),
    ("reverse m.csv --initial m.csv", "InvalidRequest: m.csv: a distribution is one row"),
    ("reverse strong.csv --stationary", "NotUnique: "),
    ("estimate no.zip", "InvalidRequest: no.zip: cannot be read"),
    ("estimate counts.json --smoothing x", "InvalidNumber: --smoothing: "),
    ("supremum m.csv --one-sided --cap 0", "InfeasibleBudget: a level of 0 leaves no budget"),
    (
        "supremum strong.csv --one-sided --cap 1 --model paper-bound",
        "InfeasibleBudget: the backward correlation has two rows",
    ),
    ("supremum strong.csv --one-sided --cap 1 --model worst-case", "InfeasibleBudget: the backward correlation has 2"),
    ("supremum m.csv --one-sided --epsilon -1", "InvalidLevel: --epsilon 1"),
    ("supremum m.csv --one-sided --epsilon 1 --within 0", "InvalidRequest: --within: the supremum is"),
    ("supremum m.csv --one-sided --epsilon 1 --within x", "InvalidNumber: --within 1"),
    ("supremum m.csv --one-sided --epsilon 1 --steps 0", "InvalidRequest: --steps is at least 1"),
    ("supremum m.csv --one-sided --epsilon 1 --steps 10000000000000000", "InvalidRequest: too large"),
    ("supremum m.csv --one-sided --epsilon 1 --steps 10001 --plot a", "InvalidRequest: too large"),
    ("supremum both.json --one-sided --epsilon 1", "InvalidRequest: both.json: "),
    ("control m.csv --previous 9 --cap 1", "InfeasibleBudget: nothing is left"),
    ("control d.csv --cap 0.4 --spent log(3/2),log(3/2),1", "InfeasibleBudget: nothing is left"),
    ("control m.csv --previous x --cap 1", "InvalidNumber: --previous"),
    ("control m.csv --previous 1 --cap log(0)", "InvalidLevel: --cap"),
    ("control m.csv --cap 1 --previous 1 --model worst-case", "InvalidRequest: the exact worst case follows from"),
    ("composition --epsilon 1 --steps 2 --w 3", "InvalidRequest: --w: a window of 3"),
    ("composition --epsilon 1 --steps 2 --w 0", "InvalidRequest: --w: a window of 0"),
    ("composition --epsilon 1 --steps 2 --window 2:2", "InvalidRequest: --window: 2:2"),
    ("composition --epsilon 1 --steps 2 --window 0:1", "InvalidRequest: --window: 0:1"),
    ("composition --epsilon 1 --steps 2 --window 1:0", "InvalidRequest: --window: 1:0"),
    ("composition --epsilon 1 --steps 2 --window 1", "InvalidRequest: --window: '1'"),
    ("composition --epsilon 1 --steps 2 --window -1:1", "InvalidRequest: --window: '-1:1'"),
    ("composition --epsilon 1 --steps 2 --window １:1", "InvalidRequest: --window"),
    ("composition --independent --epsilon 1 --steps 10000 --w 5000", "InvalidRequest: too large"),
    ("allocate --alpha 1 --method quantified --independent", "InvalidRequest: the method quantified needs"),
    ("allocate --alpha 1 --method quantified --steps 0 --independent", "InvalidRequest: the horizon"),
    (
        "allocate --alpha 1 --method quantified --steps 3 --model worst-case --independent",
        "InvalidRequest: the exact worst case has no schedule",
    ),
    ("allocate --alpha 1 --method constant --independent", "InvalidRequest: the method constant needs a horizon"),
    ("allocate --alpha 1 --method constant --steps 0 --independent", "InvalidRequest: the horizon"),
    ("allocate --alpha 1 --method constant --steps 1001 --independent", "InvalidRequest: too large"),
    (
        "allocate --alpha 1 --method least-noise --steps 101 --model worst-case --independent",
        "InvalidRequest: at most 100 are admitted",
    ),
    ("allocate --alpha 0 --method constant --steps 2 --independent", "InfeasibleBudget: a level of 0"),
    ("allocate --alpha 0 --method upper-bound --independent", "InfeasibleBudget: a level of 0"),
    ("allocate --alpha 0 --method quantified --steps 1 --independent", "InfeasibleBudget: a level of 0"),
    ("allocate --alpha 1 --method upper-bound --backward strong.csv --one-sided", "InfeasibleBudget: the b"),
    (
        "allocate --alpha 1 --method upper-bound --backward strong.csv --one-sided --model worst-case",
        "InfeasibleBudget: the backward correlation has 2 closed classes",
    ),
    (
        "allocate --alpha 1 --method quantified --steps 4 --backward strong.csv --one-sided",
        "InfeasibleBudget: the backward correlation has two rows with disjoint supports",
    ),
    ("allocate --alpha 1 --users v.json --one-sided --independent --method upper-bound", "InfeasibleBudget: zoe: "),
    (
        "allocate --alpha 1e-400 --backward b.csv --one-sided --method upper-bound --float",
        "InfeasibleBudget: a budget is smaller",
    ),
    ("utility --alpha log(2) --steps 2 --independent", "InvalidLevel: α/T is exact"),
    ("utility --alpha 1 --steps 0 --independent", "InvalidRequest: --steps: '0'"),
    ("utility --alpha 1 --steps 10001 --independent", "InvalidRequest: too large"),
    ("utility --alpha 1 --steps 1 --sensitivity 0 --independent", "InvalidRequest: the sensitivity"),
    ("utility --alpha 1 --steps 1 --sensitivity 0.5.1 --independent", "InvalidNumber: --sensitivity"),
    ("utility --alpha 0 --steps 1 --independent", "InfeasibleBudget: a level of 0"),
    ("attack --epsilon 1 --steps 4 --independent", "InvalidRequest: without a correlation"),
    (f"attack --users v.json --one-sided --independent {FOUR}", "InvalidRequest: on one person"),
    (f"attack --backward l.csv --backward d.csv --one-sided {FOUR}", "InvalidRequest: on one person"),
    (f"attack --backward one.csv --one-sided {FOUR}", "InvalidRequest: two values"),
    (f"attack --backward m.csv --one-sided {FOUR} --at 5", "InvalidRequest: not one of the times 1 to 4"),
    (f"attack --backward m.csv --one-sided {FOUR} --at 0", "InvalidRequest: not one of the times 1 to 4"),
    ("attack --backward m.csv --one-sided --epsilon inf --steps 2 --at 1", "InvalidRequest: infinite budget"),
    ("attack --backward m.csv --one-sided --epsilon inf --steps 2", "InvalidRequest: infinite budget"),
    (f"attack --backward m.csv --one-sided {FOUR} --simulate 0", "InvalidRequest: --simulate is at least 1"),
    (f"attack --backward m.csv --one-sided {FOUR} --simulate 10000000000000000", "InvalidRequest: too large"),
    ("certify loss --alpha 1", "InvalidRequest: certify loss needs MATRIX"),
    ("certify loss m.csv", "InvalidRequest: certify loss needs --alpha"),
    ("certify loss m.csv --alpha 1 --epsilon 1", "InvalidRequest: certify loss takes MATRIX, --alpha, not --epsilon"),
    ("certify loss m.csv --alpha 0.1 --digits 1001", "InvalidRequest: 1 to 1000 digits, not 1001"),
    ("certify loss-function m.csv -o m.csv/c.json", "InvalidRequest: cannot be written"),
    ("certify lfp-optimum m.csv --alpha 1", "InvalidRequest: certify lfp-optimum needs --rows"),
    ("certify lfp-optimum m.csv --alpha 1 --rows 1,3", "InvalidRequest: not two of the rows 1 to 2"),
    ("certify lfp-optimum m.csv --alpha 1 --rows 1,2,", "InvalidRequest: not two of the rows 1 to 2"),
    (
        "certify leakage m.csv --epsilon 1 --steps 2",
        "InvalidRequest: epsilons, not MATRIX",
    ),
    ("certify leakage --epsilon 1 --steps 10001", "InvalidRequest: too large"),
    ("certify bounded m.csv", "InvalidRequest: certify bounded needs --epsilon"),
    ("certify bounded m.csv --epsilon 0.1 --digits 0", "InvalidRequest: 1 to 1000 digits, not 0"),
    *(
        (
            f"certify {kind} m.csv --epsilon {epsilon}",
            "InvalidRequest: the supremum is infinite: there is no bound, as d",
        )
        for kind in ("bounded", "bounded-below")
        for epsilon in ("0.23", "log(5/4)", "inf")
    ),
    ("certify divergent m.csv --epsilon -1", "InvalidLevel: --epsilon"),
    ("certify divergent both.json --epsilon 1 --role forward", "InvalidRequest: the supremum is finite"),
    (
        "certify divergent m.csv --epsilon 0.22",
        "InvalidRequest: the supremum is finite: there is a bound, certified by b",
    ),
    ("certify divergent strong.csv --epsilon 0", "InvalidRequest: the supremum is finite"),
    ("certify divergent l.csv --epsilon 400", "InvalidRequest: the supremum is finite"),
    (
        "certify worst-case-upper m.csv --epsilon 1 --steps 2 --at 1",
        "InvalidRequest: epsilons, not MATRIX",
    ),
    *(
        (f"certify worst-case-upper --backward m.csv --epsilon {more}", f"InvalidRequest: {words}")
        for more, words in [
            ("1 --steps 2 --at 3", "--at: 3 is not one of the times 1 to 2"),
            ("1 --steps 2 --at 1,2", "--at: 1,2 is not one of the times"),
            ("inf --steps 2 --at 1", "give finite ones"),
        ]
    ),
    (
        "certify worst-case-lower --backward m.csv --epsilon 1 --steps 2",
        "InvalidRequest: certify worst-case-lower needs --at",
    ),
    ("certify worst-case-forever --backward m.csv", "InvalidRequest: certify worst-case-forever needs --epsilon"),
    (
        "certify worst-case-forever --backward m.csv --epsilon 1 --steps 3",
        "InvalidRequest: --forward, not --steps",
    ),
    ("certify worst-case-forever --backward m.csv --epsilon 0.23", "InvalidRequest: as worst-case-divergent certifies"),
    ("certify worst-case-forever --backward m.csv --epsilon 0", "InvalidRequest: a finite budget above 0"),
    ("certify worst-case-divergent m.csv --epsilon 0.22", "InvalidRequest: certified by worst-case-forever"),
    ("certify worst-case-divergent m.csv --epsilon inf", "InvalidRequest: a finite budget above 0"),
    ("crosscheck m.csv --alpha -1", "InvalidLevel: "),
    ("crosscheck m.csv --alpha nan", "InvalidNumber: "),
    (
        "crosscheck m.csv --alpha 1 --methods magic",
        "InvalidRequest: --methods: there is no method 'magic'; there are al",
    ),
    ("crosscheck m.csv --alpha 1 --methods z3,z3", "InvalidRequest: --methods: a method is named twice"),
    ("crosscheck m.csv --alpha 1 --methods ''", "InvalidRequest: --methods: there is no method ''"),
    ("crosscheck m.csv --alpha 1 --time-limit 0", "InvalidRequest: --time-limit is a positive number"),
    ("crosscheck m.csv --alpha 1 --time-limit nan", "InvalidRequest: --time-limit is a positive number"),
    ("crosscheck m.csv --alpha 1 --digits 0", "InvalidRequest: digits is at least 1"),
    ("crosscheck bad.csv --alpha 1", "NotStochastic: "),
    ("crosscheck --random 0", "InvalidRequest: --random is at least 1"),
    ("spend no", "InvalidRequest: "),
    ("spend no/a --init --independent", "InvalidRequest: no/a: its folder does not exist"),
    ("spend a --init --independent", "InvalidRequest: exists already"),
    ("spend new --init --cap -1", "InvalidLevel: --cap"),
    ("spend a --epsilon 1 --id ''", "InvalidRequest: --id: a name has 1 to 200 characters"),
    (f"spend a --epsilon 1 --by {'x' * 201}", "InvalidRequest: --by: a name has 1 to 200 characters"),
    ("spend a --account '' --epsilon 1", "InvalidRequest: --account: a name has 1 to 200 characters"),
    # Backward and forward matrices of different sizes are of no one user.
    *(
        (f"{line} {SIZES}", "InvalidRequest: the backward matrix has 2 states, the forward one 3")
        for line in [
            f"leakage {FOUR}",
            f"leakage {FOUR} --model worst-case",
            f"leakage {FOUR} --forward m.csv --one-sided",
            f"composition {FOUR} --w 2",
            "allocate --alpha 1 --method upper-bound",
            "utility --alpha 1 --steps 5",
            "audit",
            f"attack {FOUR}",
            "spend new --init",
            f"certify leakage {FOUR}",
            f"certify worst-case-upper {FOUR} --at 2",
        ]
    ),
    *(
        (f"{line} {more}", f"InvalidRequest: {words}")
        for line, rows in {
            f"leakage {MS} --epsilon 0.1 --steps 2 --delta": [
                ("2", "--delta: 2 is no probability"),
                ("0 --at 3", "--at: 3 is beyond the 2 releases"),
                ("0 --model paper-bound", "pure ε and δ = 0"),
                ("0 --reference", "pure ε and δ = 0"),
            ],
            f"allocate {MS} --alpha 1 --delta 1/10": [
                ("--steps 0", "--steps is from 1"),
                ("--steps 2 --method quantified", "--delta needs --method constant"),
            ],
            f"allocate {MS} --alpha inf --delta": [("0 --steps 2", "every budget is allowed")],
            f"allocate {MS} --alpha 1 --delta 1/10 ": [("", "both sides of a time")],
            "supremum b.csv --epsilon 0.1 --delta": [
                ("0.1 --one-sided --model paper-bound", "pure ε and δ = 0"),
                ("1.5 --one-sided", "--delta: 1.5 is no probability"),
                ("0.1 --one-sided --steps 3", "--delta excludes --cap"),
            ],
            "supremum m.csv --one-sided --sigma 3": [("", "need --delta"), ("--epsilon 1 --delta 1/9", "give either")],
            f"composition {MS} --epsilon 0.1 --steps 2": [("--delta 0.1", "no recursion is known")],
            f"profile {MS} --epsilon 0.1 --steps 2": [
                ("", "nothing is asked"),
                ("--alpha 1 --plot p.png", "twice or more"),
                ("--alpha 1 --at 3", "--at: 3 is not one of the times 1 to 2"),
                ("--delta 1.5", "--delta: 1.5 is no probability"),
                ("--delta-per-release 2 --delta 0", "--delta-per-release: 2 is no probability"),
            ],
            f"profile {MS} --delta 0": [
                ("--rho -1 --steps 2", "at least 0"),
                ("--sigma 0 --steps 2", "above 0"),
                ("--sigma 2", "needs --steps"),
            ],
            f"attack {MS} --profile log(3/2) --epsilon log(2) --steps 3": [
                ("", "--profile needs --at"),
                ("--at 4", "not one of the times 1 to 3"),
                ("--at 1 --simulate 0", "at least 1"),
            ],
            "attack --profile log(3/2) --epsilon log(2) --steps 3": [
                ("--independent", "without a correlation"),
                ("--backward m.csv --backward f.csv --one-sided", "on one person"),
            ],
            "spend new --init --backward m.csv --one-sided --delta": [
                ("0.1", "needs a finite --cap"),
                ("0.01 --cap 1 --model paper-bound", "excludes --model paper-bound"),
                ("0 --cap 1", "above 0 and below 1"),
                ("2 --cap 1", "no probability"),
                ("0.01 --cap 1 --sigma 9 --sigma 20", "--sigma is given 2 times"),
            ],
            "uncertainty s.txt": [
                ("", "give either --epsilon"),
                ("--epsilon 1 --steps 2 --smoothing 0.01", "the smoothing of"),
                ("--epsilon 1 --steps 2 --draws 0", "draws is a whole number from 1"),
            ],
            # A matrix for each step
            "leakage --epsilons 1,2,0,1": [
                ("--forward s.json", "the distribution at the first time is not known"),
                ("--backward d3.json --one-sided", "matrix 2 has 3 states, the first one 2"),
                ("--backward s.json --one-sided --every 2", "--every needs one matrix"),
                ("--backward empty.json --one-sided", "no matrix to repeat"),
                ("--backward two.json --one-sided", "'cycle'"),
                ("--backward list.json --one-sided", 'are {"steps": [matrix, …]} or {"cycle"'),
                ("--forward c.json --knowing 1=day", "a matrix for each step"),
            ],
            "leakage --backward s.json --one-sided": [("--epsilon 1 --steps 3", "3 matrices for 2 steps")],
            "loss c.json": [("--alpha 1", "a matrix for each step")],
            "supremum --epsilon 1": [
                ("c.json --one-sided --steps 3", "a matrix for each step"),
                ("s.json --one-sided", "needs steps that repeat"),
                ("s.json", "the distribution at the first time is not known"),
                ("roles.json", "needs steps that repeat"),
                ("b.csv f.csv --one-sided", "one MATRIX"),
                ("c.json c.json --prior 1/2,1/2", "a matrix for each step"),
            ],
            "utility --alpha 1 --steps 3": [("--forward c.json", "each step has its own matrix")],
            "spend l.db --init --epsilon 1 --cap 2": [("--forward c.json", "a matrix for each step")],
            "audit": [("--forward c.json", "a matrix for each step")],
            "certify worst-case-forever --epsilon 1/10": [("--backward c.json", "a matrix for each step")],
            "certify worst-case-upper --epsilons 1,2,0,1": [("--backward b.csv --backward f.csv", "not candidates")],
        }.items()
        for more, words in rows
    ),
    ("audit", "InvalidRequest: give one of MATRIX…, --backward with --forward, and --users"),
    ("audit l.csv --backward m.csv", "InvalidRequest: MATRIX excludes --backward"),
    ("audit --users u.json --independent --forward m.csv", "InvalidRequest: --users excludes --backward"),
    ("audit --users u.json --independent --role forward", "InvalidRequest: --role belongs to MATRIX"),
    ("audit --one-sided l.csv --epsilons 1,2 --epsilon 1", "InvalidRequest: give either"),
    ("audit --one-sided l.csv --alpha -1", "InvalidLevel: --alpha"),
    ("audit --one-sided l.csv --html l.csv/x.html", "InvalidRequest: l.csv/x.html: the page cannot be written"),
    ("audit --one-sided l.csv --steps 100000", "InvalidRequest: too large"),
    ("audit --one-sided l.csv --steps 10000 --epsilon log(1e300)", "InvalidRequest: too large: the exact ratios"),
    ("audit sizes.json", "InvalidRequest: the backward matrix has 2 states, the forward one 3"),
    *(
        (
            f"{line} --users sizes-u.json --one-sided",
            "InvalidRequest: bob: the backward matrix has 2 states, the forward one 3",
        )
        for line in [
            f"leakage {FOUR}",
            "allocate --alpha 1 --method constant --steps 5",
            "spend new --init --model paper-bound",
        ]
    ),
]
"""Command lines, and the error: its name, and a part of what follows it."""


@pytest.fixture(autouse=True)
def _files(folder):
    m, d = texts_of(MODERATE), texts_of(DIVERGES)
    documents = {
        "counts": {"counts": [[1, 1], [2, 0]], "first": [1, 2]},
        "both": {"backward": m, "forward": [["1/2", "1/2"], ["1/2", "1/2"]]},
        "sizes": {"backward": m, "forward": d},
        "sizes-u": {"ann": {"backward": m}, "bob": {"backward": "m.csv", "forward": d}},
        "v": {"ann": {}, "zoe": {"backward": "strong.csv"}},
        "s": {"steps": ["b.csv", "f.csv", "m.csv"]},
        "c": {"cycle": ["b.csv", "f.csv"], "states": ["day", "night"]},
        "roles": {"backward": {"steps": ["b.csv", "f.csv", "m.csv"]}, "forward": texts_of(SKEWED)},
        "d3": {"cycle": ["b.csv", d]},
        "empty": {"cycle": []},
        "two": {"steps": [], "cycle": ["b.csv"]},
        "list": [d] * 3,
    }
    for name, document in documents.items():
        (folder / f"{name}.json").write_text(json.dumps(document))
    (folder / "one.csv").write_text("1\n")
    (folder / "s.txt").write_text("a a b a\n")
    (folder / "bad.csv").write_text("0.5,0.4\n0,1\n")


@pytest.mark.parametrize(("line", "error"), REFUSED)
def test_one_line_and_status_2(folder, line, error):
    if line.startswith("spend a "):
        run("spend", "a", "--init", "--independent", "--cap", "2", "--epsilon", "1")
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    name, _, words = error.partition(": ")
    message = refused(*shlex.split(line))
    assert message.startswith(f"{name}: ")
    assert words in message
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == files


@pytest.mark.parametrize(
    "line",
    [
        "conjure",
        "loss",
        "loss m.csv --beta 1",
        "leakage --steps x",
        "certify lemma m.csv",
        "check",
        *(f"--time-limit {limit} loss m.csv --alpha 1" for limit in ("0", "-1", "nan", "inf", "1e300", "soon")),
        *(f"spend new --init --wait {wait}" for wait in ("-1", "nan", "inf", "soon")),
    ],
)
def test_what_is_no_command_line(line):
    assert "Usage: tploracle" in run(*line.split(), status=2).stderr


@pytest.mark.parametrize(("name", "has_roles"), [("leakage", True), ("composition", True), ("verify", False)])
def test_a_file_without_a_role_is_told_how_to_have_one(name, has_roles):
    told = run(name, "m.csv", status=2).stderr
    assert "unexpected extra argument (m.csv)" in told
    assert ("--backward FILE or --forward FILE" in told) is has_roles


@pytest.mark.parametrize(("name", "role"), [("supremum", True), ("loss", True), ("reverse", False)])
def test_a_role_where_a_matrix_has_no_option_is_told_how_to_write_it(name, role):
    told = run(name, "--forward", "m.csv", status=2).stderr
    assert "No such option '--forward'; write the matrix without an option here" in told
    assert ("--role forward" in told) is role


def test_python_refuses_matrices_of_different_sizes():
    with pytest.raises(InvalidRequest, match="the backward matrix has 2 states, the forward one 3"):
        tploracle.adversary(backward=MODERATE, forward=DIVERGES)
    assert tploracle.adversary(backward=MODERATE, forward=MODERATE).forward is not None


@pytest.mark.parametrize("command", [*dict(files.READERS), "check FILE", "sparse FILE --epsilon 1 --steps 2"])
def test_no_name_of_a_file_reaches_the_terminal_as_it_is(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, files.words(command, "a\x07\x1b[31m\u202e"), color=True)
    assert result.exit_code == 2
    assert r"a\x07\x1b[31m\u202e" in result.output
    assert all(line.isprintable() for line in result.output.splitlines())


@pytest.mark.parametrize(
    ("content", "more"), [("0.3333,0.3333,0.3333\n" * 3, "--normalise"), ("0.1,0.2,0.7\n" * 3, "--float64")]
)
def test_nor_does_a_note_about_it(tmp_path, content, more):
    path = tmp_path / "a\x07\x1b[31m\u202e"
    path.write_text(content)
    result = CliRunner().invoke(main, ["loss", str(path), "--alpha", "1", more], color=True)
    assert result.exit_code == 0
    assert "note: " in result.stderr
    assert all(line.isprintable() for line in result.stderr.splitlines())


OBSERVED = "--user user --time time --state state"
CONTENTS = [
    ("", "leakage --independent --epsilons FILE", "InvalidRequest: FILE: there is no release"),
    ("", f"population FILE {OBSERVED} --out out {FOUR}", "InvalidRequest: FILE: there is no visit that can be read"),
    ("user,time,state\n", f"population FILE {OBSERVED} --out out {FOUR}", "InvalidRequest: FILE: there is no visit"),
    (
        "user,time,state\na,,b\n",
        f"population FILE {OBSERVED} --out out {FOUR} --rejects r.csv",
        "InvalidRequest: FILE: ",
    ),
    *(
        (table, f"estimate FILE --count-table {more}", error)
        for table, more, error in [
            ("a,b\n1,2\n3,1/2\n", "", "InvalidNumber: FILE: row 2, column 2: 1/2 is not a count"),
            ("1,2\n3\n", "", "NotSquare: FILE: line 2: row 2 has 1 entries"),
            ("1,2\n3,x\n", "", "InvalidNumber: FILE: line 2, column 2"),
            ("0,0\n0,0\n", "", "UnreachableState: FILE: no transition was counted"),
        ]
    ),
    ("a b\nb a c\n", "estimate FILE", "UnreachableState: FILE: state 'c' is never followed"),
    ("a b\nb a c\n", "estimate FILE --json", "UnreachableState: FILE: state 'c' is never followed"),
    ("a b\nb a c\n", "estimate FILE --csv", "UnreachableState: FILE: state 'c' is never followed"),
    ("{}", "spend FILE --epsilon 1", "InvalidRequest: FILE: is not a ledger"),
]


@pytest.mark.parametrize(("content", "line", "message"), CONTENTS)
def test_what_a_file_holds_is_refused_by_its_name(folder, content, line, message):
    (folder / "FILE").write_text(content)
    assert message in refused(*shlex.split(line))
    assert (folder / "FILE").read_text() == content
