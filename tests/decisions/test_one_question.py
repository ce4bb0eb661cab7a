"""A question asked on the command line, in Python and on the wire, with every option: one answer, or one refusal."""

import inspect
import json
import pickle
import re
import tempfile
from collections import Counter
from dataclasses import fields
from functools import partial
from pathlib import Path

import click
import pytest
from dp_accounting import dp_event
from dp_accounting.pld import PLDAccountant
from dp_accounting.privacy_accountant import NeighboringRelation
from hypothesis import given
from hypothesis import strategies as st

import tploracle
from tploracle import InvalidRequest, PrivacyAccountant, Stream
from tploracle.cli.main import main
from tploracle.contract.operations import OPERATIONS
from tploracle.data.adversaries import adversaries_of
from tploracle.data.estimates import Estimate
from tploracle.reference import OracleError
from tploracle.unchecked import not_checked
from tploracle.wire.values import level_value

from ..commands import CliRunner, answer
from ..commands import value as shown_by
from ..profiles import examples

ROOT = Path(__file__).parents[2]

FORMS = {
    "probabilities": lambda rows: [[f"{x}/{sum(row)}" for x in row] for row in rows],
    "percentages": lambda rows: [[f"{100 * x}/{sum(row)}" for x in row] for row in rows],
    "counts": lambda rows: rows,
    "decimals": lambda rows: [[f"{x / sum(row):.3f}" for x in row] for row in rows],
    "doubles": lambda rows: [[repr(x / sum(row)) for x in row] for row in rows],
    "weights": lambda rows: rows,
}
"""How a table is written."""

READ_AS = {
    **{name: {"entries": name} for name in ("probabilities", "percentages", "counts")},
    "decimals": {"normalise": True},
    "doubles": {"float64": True},
    "weights": {"force_normalise": True},
}
"""The options that read it so."""


@st.composite
def questions(draw):
    """Draw a table, how it is written, and options, of which some are refused together with others."""
    n = draw(st.integers(2, 3))
    rows = draw(st.lists(st.lists(st.integers(0, 9), min_size=n, max_size=n).filter(any), min_size=n, max_size=n))
    form = draw(st.sampled_from([*FORMS]))
    options = READ_AS[draw(st.sampled_from([form, form, form, *READ_AS]))]
    more = {
        "one_sided": st.booleans(),
        "neighbours": st.sampled_from(["replace", "add-remove"]),
        "every": st.sampled_from([None, "2", "3", "1d"]),
        "totals": st.sampled_from(["refuse", "drop", "state"]),
    }
    drawn = {name: draw(values) for name, values in more.items()}
    return FORMS[form](rows), draw(st.sampled_from(["forward", "backward"])), options | drawn


def words(options):
    """Return options as the command line has them."""
    found = []
    for name, value in options.items():
        if value is True:
            found.append(f"--{name.replace('_', '-')}")
        elif value:
            found += [f"--{name.replace('_', '-')}", value]
    return found


def commanded(*line, table):
    """Return what a command prints, or the name of its error."""
    text = "\n".join(",".join(map(str, row)) for row in table)
    result = CliRunner().invoke(main, [*map(str, line), "--json"], input=text, prog_name="tploracle")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return json.loads(result.stdout) if not result.exit_code else result.stderr.partition(":")[0]


def in_python(ask):
    try:
        return ask()
    except OracleError as error:
        return error.name


def written(level):
    return level_value(level, 17)


def same(found, levels):
    """Whether levels that a command printed are these."""
    for one, other in zip(found, levels, strict=True):
        ends = written(other)
        assert {key: one[key] for key in ends} == ends


@examples(25)
@given(questions(), st.integers(1, 4))
def test_leakage(question, steps):
    table, role, options = question
    found = commanded("leakage", f"--{role}", "-", "--epsilon", "1/10", "--steps", steps, *words(options), table=table)
    stream = in_python(lambda: Stream(**{role: table}, **options))
    if isinstance(stream, str):
        assert found == stream
        return
    own = stream.leakage("1/10", steps)
    spent = ["1/10" if options["neighbours"] == "replace" else "1/5"] * steps
    known = {name: None if own is None else own.texts() for name, own in stream.known().items()}
    for model, op in (("worst_case", "worst_case_leakage"), ("paper_bound", "leakage")):
        sent = answer(op, **{name: rows for name, rows in known.items() if rows}, epsilons=spent)
        for kind in ("bpl", "fpl", "tpl"):
            same(found[model][kind], getattr(getattr(own, model), kind))
            same(sent[kind], getattr(getattr(own, model), kind))
    assert found["basis"] == own.basis.value()
    assert own.worst.value == max(own.worst_case.tpl, key=float)
    attack = commanded("attack", f"--{role}", "-", "--epsilon", "1/10", "--steps", steps, *words(options), table=table)
    told = in_python(lambda: stream.attack("1/10", steps))
    assert attack == told if isinstance(attack, str) else attack["time"] == told.worst.time
    if not isinstance(attack, str):
        same([attack["worst_case"]["tpl"]], [told.attack.level])
        assert [attack["more_likely"]["name"], attack["less_likely"]["name"]] == [*told.worst.pair]


@examples(10)
@given(questions(), st.sampled_from([None, 1, 3]))
def test_budgets(question, steps):
    table, role, options = question
    horizon = [] if steps is None else ["--steps", steps]
    found = commanded("allocate", f"--{role}", "-", "--alpha", "1", *horizon, *words(options), table=table)
    told = in_python(lambda: Stream(**{role: table}, **options).budget("1", steps))
    if isinstance(told, str):
        assert found == told
        return
    for model in ("worst_case", "paper_bound"):
        own = getattr(told, model)
        assert (model in found) == (own is not None)
        if own is not None:
            same(found[model]["epsilons"][:1], [own])
    assert found["basis"] == told.basis.value()


@examples(5)
@given(questions(), st.sampled_from(["0", "0.01"]))
def test_profiles(question, delta):
    table, role, options = question
    line = ["profile", f"--{role}", "-", "--epsilon", "1/10", "--steps", 2, "--delta-per-release", delta]
    found = commanded(*line, "--alpha", "0.15", "--delta", "0.05", *words(options), table=table)
    told = in_python(lambda: Stream(**{role: table}, **options).profile([("1/10", delta)] * 2))
    if isinstance(told, str):
        assert found == told
        return
    tpl = found["worst_case"]["tpl"]
    alpha, chance = told.alpha("0.05"), told.delta("0.15")
    lower, upper = (float(tpl["alpha"][0][end]) for end in ("lower", "upper"))
    assert lower <= float(alpha.upper)
    assert float(alpha.lower) <= upper
    assert float(tpl["delta"][0]["lower"]) <= float(chance.upper) + 1e-15
    assert float(chance.lower) <= float(tpl["delta"][0]["upper"]) + 1e-15


def test_an_account_is_that_of_spend(folder):
    (folder / "t.csv").write_text("home,work\n0.8,0.2\n0.1,0.9\n")
    spend = partial(commanded, "spend", "a.db", table=())
    spend("--init", "--forward", "t.csv", "--cap", "1/2")
    account = Stream("t.csv").account("1/2")
    for epsilon in ("0.1", "0.2", "0.05"):
        found = spend("--epsilon", epsilon)
        account.spend(epsilon)
        same([found["worst_case"]["left"]], [account.remaining()])
    assert spend("--epsilon", "1") == in_python(lambda: account.spend("1")) == "InfeasibleBudget"
    assert len(account.epsilons) == 3
    assert account.worst.pair == ("home", "work")


def test_a_log_is_that_of_estimate(folder):
    rows = [(user, time, "home" if (user * time) % 3 else "work") for user in range(1, 9) for time in range(1, 20)]
    (folder / "log.csv").write_text("who,when,where\n" + "\n".join(",".join(map(str, row)) for row in rows))
    columns = ("who", "when", "where")
    counts = CliRunner().invoke(
        main, ["estimate", "log.csv", "--user", "who", "--time", "when", "--state", "where", "--counts"]
    )
    (folder / "counts.json").write_text(counts.stdout)
    ways = (Stream.of_log("log.csv", *columns), Stream.of_log(rows, *columns), Stream("counts.json"))
    told = [way.leakage("0.1", steps=5) for way in ways]
    assert {str(own.worst_case.tpl[2].enclosure()) for own in told} == {str(told[0].worst_case.tpl[2].enclosure())}
    assert told[0].basis == told[1].basis == told[2].basis
    assert "from 144 transitions" in repr(told[0])
    assert tploracle.count_visits("log.csv", tploracle.LogColumns(*columns)) == tploracle.count_visits(
        rows, tploracle.LogColumns(*columns)
    )


@examples(12)
@given(
    st.lists(st.tuples(st.sampled_from("uv"), st.integers(0, 5), st.sampled_from(["a", "b", "NA", "-99"])), min_size=3),
    st.sampled_from([{}, {"step": "1"}, {"step": "2", "gaps": "hold"}, {"step": "1", "gaps": "break"}]),
    st.sampled_from([{}, {"duplicates": "drop"}]),
    st.sampled_from([{}, {"missing": "break"}, {"missing": "break:-99"}, {"missing": "state"}]),
    st.sampled_from([(",", {}), (";", {"separator": "semicolon"}), (";", {})]),
)
def test_a_log_is_read_alike_with_every_option(rows, steps, duplicates, missing, separator):
    mark, separated = separator
    options = steps | duplicates | missing | separated
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "log.csv")
        path.write_text("\n".join(mark.join(map(str, row)) for row in [("who", "when", "where"), *rows]))
        columns = ["--user", "who", "--time", "when", "--state", "where"]
        result = CliRunner().invoke(main, ["estimate", str(path), *columns, "--counts", *words(options)])
        ways = [str(path), rows] if mark == "," or separated else [str(path)]
        for log in ways:
            told = in_python(lambda log=log: Stream.of_log(log, "who", "when", "where", one_sided=True, **options))
            if result.exit_code:
                assert told == result.stderr.partition(":")[0]
            elif not isinstance(told, str):
                assert list(told.states) == json.loads(result.stdout)["states"]
            else:  # a matrix needs more than counts: of a state that nothing follows
                assert told in ("NotStochastic", "InvalidRequest", "UnreachableState")


def enclosed(levels):
    return [written(own) for own in levels]


@pytest.mark.filterwarnings("ignore:.*smoothing lets it return")
@examples(6)
@given(
    st.lists(st.lists(st.sampled_from("ab"), min_size=4, max_size=6), min_size=3, max_size=6),
    st.sampled_from([{}, {"smoothing": "1/2"}, {"steps": 4}, {"order": 2, "smoothing": "1/2"}]),
    st.sampled_from(["replace", "add-remove"]),
)
def test_what_estimate_makes_is_made_in_python_too(sequences, options, neighbours):
    shown = words({name: str(own) for name, own in options.items()})
    is_law, steps = "order" in options, options.get("steps", 3)
    printed = shown if "steps" in options or is_law else [*shown, "--json" if shown else "--counts"]
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "s.json")
        path.write_text(json.dumps(sequences))
        made = CliRunner().invoke(main, ["estimate", str(path), *printed])
    kind = tploracle.LawStream if is_law else Stream
    told = in_python(lambda: kind.of_sequences(sequences, neighbours=neighbours, **options).leakage("0.1", steps))
    if made.exit_code:
        assert told == made.stderr.partition(":")[0]
        return
    roles = ["law"] if is_law else ["forward", "backward"] if "steps" in options else ["forward"]
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "e.json")
        path.write_text(made.stdout)
        line = [part for role in roles for part in (f"--{role}", path)]
        found = commanded("leakage", *line, "--epsilon", "0.1", "--steps", steps, "--neighbours", neighbours, table=())
    if isinstance(told, str):
        assert found == told
    elif is_law:
        assert [own["upper"] for own in found["law"]["tpl"]] == [own["upper"] for own in enclosed(told.at_most)]
    else:
        same(found["worst_case"]["tpl"], told.worst_case.tpl)
        same(found["paper_bound"]["tpl"], told.paper_bound.tpl)


@examples(6)
@given(
    st.lists(st.tuples(*[st.tuples(st.integers(1, 9), st.integers(1, 9))] * 2), min_size=1, max_size=2),
    st.sampled_from([{}, {"prior": "equal"}, {"prior": ["1/4", "3/4"]}, {"knowing": {2: "2"}}, {"knowing": {1: "3"}}]),
    st.sampled_from(["replace", "add-remove"]),
)
def test_users_priors_and_known_values(tables, options, neighbours):
    users = {f"u{place}": {"forward": FORMS["probabilities"](rows)} for place, rows in enumerate(tables)}
    shown = ["--neighbours", neighbours]
    for time, name in options.get("knowing", {}).items():
        shown += ["--knowing", f"{time}={name}"]
    if prior := options.get("prior"):
        shown += ["--prior", prior if isinstance(prior, str) else ",".join(prior)]
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "u.json")
        path.write_text(json.dumps(users))
        who = ["--users", path]
        if "knowing" in options:
            users = dict([*users.items()][:1])
            (table,) = (own["forward"] for own in users.values())
            path.write_text("\n".join(map(",".join, table)))
            who = ["--forward", path]
        found = commanded("leakage", *who, "--epsilon", "0.1", "--steps", 3, *shown, table=())
        kept = commanded("allocate", *who, "--alpha", "1", "--steps", 3, *shown, table=())
    stream = Stream(users=users, neighbours=neighbours)
    told, budget = (
        in_python(ask)
        for ask in (lambda: stream.leakage("0.1", 3, **options), lambda: stream.budget("1", 3, **options))
    )
    if isinstance(told, str):
        assert found == told == kept == budget
        return
    same(found["worst_case"]["tpl"], told.worst_case.tpl)
    assert (told.paper_bound is None) == ("knowing" in options) == ("paper_bound" not in found)
    if prior:
        same(found["mixture"]["at_most"], told.mixture.upper)
        same(found["mixture"]["attained"], told.mixture.lower)
    assert told.basis.values == found["basis"]["values"]
    if isinstance(budget, str):
        assert kept == budget
    else:
        same(kept["worst_case"]["epsilons"][:1], [budget.worst_case])
        assert told.worst.value == max(told.worst_case.tpl, key=float)


def test_every_option_has_a_parameter_or_a_place_in_the_guide():
    """What is no parameter stands in docs/python.md with what to write instead."""
    asked = {
        "leakage": Stream.leakage, "allocate": Stream.budget, "profile": Stream.profile, "attack": Stream.attack,
        "spend": Stream.account, "estimate": Stream.of_log,
    }  # fmt: skip
    guide = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    everywhere = {*inspect.signature(Stream).parameters, *(own.name for own in fields(Estimate))}
    everywhere |= {*inspect.signature(Stream.of_sequences).parameters}
    missing = []
    for name, method in asked.items():
        for option in main.get_command(click.Context(main), name).params:
            flag = next((own for own in option.opts if own.startswith("--")), "")
            parameter = flag.removeprefix("--").replace("-", "_")
            known = everywhere | {*inspect.signature(method).parameters}
            if flag and not option.hidden and not {parameter, f"{parameter}s"} & known and f"`{flag}`" not in guide:
                missing.append(f"{name} {flag}")
    assert missing == []


def test_every_option_has_a_key_of_the_wire_a_field_of_the_page_or_a_reason():
    """The table of docs/wire.md names keys and fields that there are, and each option once."""
    page = ROOT / "docs"
    section = (
        (page / "wire.md").read_text(encoding="utf-8").partition("\n## Options of commands\n")[2].partition("\n## ")[0]
    )
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| `--")]
    options, keys, fields_of_page = ([re.findall(r"`([^`]+)`", row[at]) for row in rows] for at in range(3))
    told = Counter(option for row in options for option in row)
    commands = ("leakage", "allocate", "profile", "attack", "composition", "supremum", "spend", "estimate")
    asked = {
        flag
        for name in commands
        for option in main.get_command(click.Context(main), name).params
        for flag in option.opts
        if flag.startswith("--") and not option.hidden
    }
    assert told == Counter(asked)
    known = {key.name for one in OPERATIONS.values() for key in one.keys} | {"want", "digits"}
    assert {key for row in keys for key in row if key.isidentifier()} <= known
    html = (ROOT / "docs" / "site" / "play" / "page.html").read_text(encoding="utf-8")
    assert all(f'id="{field}"' in html for row in fields_of_page for field in row)
    assert all(row[3].strip() or (keys[at] and fields_of_page[at]) for at, row in enumerate(rows))


ALWAYS = {"backward": [[1, 0], [0, 1]], "forward": [[1, 0], [0, 1]]}


def test_gaussian_releases_of_a_value_that_never_changes_add_up():
    """They may share their noise: two are one of twice the sensitivity, whose privacy losses dp_accounting computes."""
    own = PrivacyAccountant(Stream(**ALWAYS, neighbours="add-remove"), time=1).compose(
        dp_event.GaussianDpEvent(20.0), 2
    )
    theirs = PLDAccountant(NeighboringRelation.REPLACE_ONE).compose(dp_event.GaussianDpEvent(10.0))
    for delta in (1e-6, 1e-3):
        assert own.get_epsilon(delta) == pytest.approx(theirs.get_epsilon(delta), rel=2e-3)
    assert own.get_delta(0.1) == pytest.approx(theirs.get_delta(0.1), rel=2e-2)
    assert own.supports(dp_event.GaussianDpEvent(1.0))
    assert not own.supports(dp_event.PoissonSampledDpEvent(0.1, dp_event.GaussianDpEvent(1.0)))


@pytest.mark.parametrize("stream", [Stream(**ALWAYS), Stream([["0.5", "0.5"], ["0.5", "0.5"]])])
def test_releases_of_one_time_are_composed_as_dp_accounting_does(stream):
    """Each has noise of its own; dp_accounting composes privacy losses of one record."""
    own = PrivacyAccountant(stream).compose(dp_event.GaussianDpEvent(20.0), 2, at=3)
    own.compose(dp_event.GaussianDpEvent(15.0), at=3)
    theirs = PLDAccountant(NeighboringRelation.ADD_OR_REMOVE_ONE)
    theirs.compose(dp_event.GaussianDpEvent(20.0), 2).compose(dp_event.GaussianDpEvent(15.0))
    assert own.get_epsilon(1e-4) == pytest.approx(theirs.get_epsilon(1e-4), rel=2e-3)
    assert "at times of" in own.basis.step
    for wrong in ({}, {"at": "noon"}, {"at": 1}, {"at": "7/2"}):
        with pytest.raises(InvalidRequest):
            own.compose(dp_event.GaussianDpEvent(20.0), **wrong)
    assert repr(own).startswith("<PrivacyAccountant: 3 releases>\nAdversary: ")


def test_where_the_chain_does_not_fit_every_answer_in_python_begins_with_it():
    stream = Stream.of_sequences([["a", "a", "b", "b", "a", "b"]] * 30 + [["b"] * 5 + ["a"]] * 30)
    for found in (stream.leakage("0.1", steps=2), stream.budget(1, steps=2), PrivacyAccountant(stream)):
        shown = repr(found)
        assert shown.removeprefix("<PrivacyAccountant: 0 releases>\n").startswith("The chain does not fit the data")
        assert "for everybody: rejected (" in shown.splitlines()[-1]
    assert "The chain does not fit" in stream.leakage("0.1", steps=2)._repr_html_()
    typed = tploracle.Accountant({"who": tploracle.adversary(forward=[["0.8", "0.2"], ["0.1", "0.9"]])})
    for found in (typed, Stream([["0.8", "0.2"], ["0.1", "0.9"]]).leakage("0.1", steps=2)):
        assert "Chain: first order, the same at all times, for everybody: not tested." in repr(found)
    unrelated = Stream(independent=True).leakage("0.1", steps=2)
    assert "Chain: values at different times are independent: not tested." in repr(unrelated)


@pytest.mark.parametrize(("neighbours", "epsilon"), [("replace", 0.375), ("add-remove", 0.75)])
def test_pure_releases_add_up_where_values_never_change(neighbours, epsilon):
    own = PrivacyAccountant(Stream(**ALWAYS, neighbours=neighbours)).compose(dp_event.LaplaceDpEvent(8.0), 3)
    assert epsilon <= own.get_epsilon(0.0) <= epsilon * (1 + 1e-12)
    assert own.compose(dp_event.NonPrivateDpEvent()).get_epsilon(0.0) == float("inf")
    assert PrivacyAccountant(Stream(**ALWAYS)).get_epsilon(0.0) == 0.0


def test_an_accountant_has_the_level_that_the_command_has_at_a_delta(folder):
    rows = [["0.8", "0.1", "0.1"], ["0.1", "0.6", "0.3"], ["0.2", "0.2", "0.6"]]
    (folder / "f.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    own = PrivacyAccountant(Stream(rows)).compose(dp_event.GaussianDpEvent(10.0), 4)
    shown = shown_by("leakage", "--forward", "f.csv", "--sigma", "10", "--steps", "4", "--delta", "1e-5")
    worst = max(float(level["upper"]) for level in shown["worst_case"]["tpl"])
    assert worst * (1 - 1e-5) <= own.get_epsilon(1e-5) <= worst  # of six digits, rounded up


def test_an_answer_shows_itself_and_is_kept():
    stream = Stream([["0.8", "0.1", "0.1"], ["0.1", "0.6", "0.3"], ["0.2", "0.2", "0.6"]])
    answers = [
        stream.leakage(["0.1"]),
        stream.budget("1"),
        stream.attack("0.1", steps=3),
        stream.profile([("0.1", "0.001")] * 2),
        stream.account("1").spend("0.1"),
    ]
    for own in answers:
        again = pickle.loads(pickle.dumps(own))
        assert repr(again) == repr(own)
        assert len(own.to_frame()) == len(next(iter(own.table().values())))
        assert repr(own).splitlines()[1] in own._repr_html_()
        assert own.basis.adversary == "knows P^F, and P^B by its reversal"
    assert repr(answers[0]).startswith("1 release leaks at most 0.1 nats")
    assert len(stream.leakage("0.1", steps=4).plot().axes) == 1


def test_what_is_not_checked_of_the_matrices_is_told_with_each_answer(monkeypatch):
    """What an adversary knows is built once; a reason why it is unchecked is not forgotten at the next question."""
    monkeypatch.setattr("tploracle.stream.adversaries_of", lambda known: (not_checked("why"), adversaries_of(known))[1])
    stream = Stream([["0.8", "0.2"], ["0.1", "0.9"]])
    for _ in range(2):
        assert stream.leakage(["0.1"] * 2).basis.unchecked == ("why",)


def test_an_error_names_parameters():
    for table, options, told in (
        ([[0.9, 0.1], [0.2, 0.8]], {}, "float64=True"),
        ([[1, 0], [0, 1]], {}, "one_sided=True"),
        ([["80", "20"], ["10", "90"]], {}, "entries='percentages'"),
        ([[9, 1, 10], [2, 8, 10], [11, 9, 20]], {"entries": "counts"}, "totals='drop'"),
    ):
        with pytest.raises(OracleError) as caught:
            Stream(table, **options)
        assert told in str(caught.value)
        assert "--" not in str(caught.value)


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (Stream, "no correlation"),
        (lambda: Stream([[1]], independent=True), "excludes"),
        (lambda: Stream([[1]], neighbours="both"), "neighbours is"),
        (lambda: Stream(independent=True).leakage("0.1"), "this is a text"),
        (lambda: Stream(independent=True).leakage([]), "no release"),
        (lambda: Stream(independent=True).leakage("0.1", steps=0), "from 1"),
        (lambda: Stream(independent=True).attack(["0.1"]), "without a correlation"),
        (lambda: Stream(["0.8,0.2"]), "not a row"),
    ],
)
def test_what_is_no_question(ask, why):
    with pytest.raises(InvalidRequest, match=why):
        ask()


@pytest.mark.parametrize("name", ["leakage", "supremum"])
def test_the_former_names_of_the_papers_bound_warn(name):
    with pytest.warns(DeprecationWarning, match=f"paper_bound_{name}"):
        assert getattr(tploracle, name) is getattr(tploracle, f"paper_bound_{name}")
