"""Structures of chains: measured from matrices, and by other means; what no chain has, no small one has."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from random import Random

import pytest

from tploracle.conformance.ask.chains import TOTAL, WantedChain, made, structures_in_turn
from tploracle.conformance.structures import (
    CHAIN,
    IMPOSSIBLE,
    chain_structure,
    is_impossible,
    possible_pairs,
    structures_of,
    support_structure,
)
from tploracle.reference.worst_case.classes import classes_of, cyclic_parts

from ...profiles import some


def supports(n):
    """Every pattern of zeros of n states."""
    return product(range(1, 2**n), repeat=n)


def by_the_reference(masks):
    """Closed classes, the greatest period and transience of a chain, as the reference has them."""
    rows = [[mask >> place & 1 for place in range(len(masks))] for mask in masks]
    found, few = classes_of(rows), ("", "1", "2", "3 or more")
    return {
        "closed classes": few[min(len(found.closed), 3)],
        "period": few[min(max(len(cyclic_parts(rows, own)) for own in found.closed), 3)],
        "transient values": "some" if found.open else "none",
    }


@pytest.mark.parametrize("n", [1, 2, 3])
def test_classes_and_periods_are_those_of_the_reference(n):
    for masks in supports(n):
        assert by_the_reference(masks).items() <= support_structure(masks).items(), masks


def test_classes_and_periods_of_larger_chains():
    random = Random(5)
    for _ in range(150):
        n = random.randrange(4, 9)
        masks = [1 << random.randrange(n) | (1 << random.randrange(n)) * random.randrange(2) for _ in range(n)]
        assert by_the_reference(masks).items() <= support_structure(masks).items(), masks


def matrices_of(masks):
    """Matrices with a pattern of zeros: in equal parts, in different ones, and in alternating ones."""
    for weigh in (lambda _j, _k: 1, lambda j, k: 1 + j + 3 * k, lambda j, k: 1 + (j + k) % 2):
        rows = [[weigh(j, k) * (mask >> k & 1) for k in range(len(masks))] for j, mask in enumerate(masks)]
        yield [[str(Fraction(weight, sum(row))) for weight in row] for row in rows]


@pytest.mark.parametrize("n", some([3, 1, 2], 2))
def test_what_no_chain_has_none_of_all_small_ones_has(n):
    for masks in supports(n):
        for matrix in matrices_of(masks):
            found = chain_structure(matrix)
            assert not [pair for pair in combinations(found.items(), 2) if is_impossible(*pair)], matrix


def test_whatever_is_not_excluded_with_a_reason_is_had_by_a_chain_of_few_states():
    assert all(reason and pairs for pairs, reason in IMPOSSIBLE.values())
    met, names = set(), list(CHAIN)
    several = [(one, most) for most in (9, 5) for kind in (True, False) for one in structures_in_turn("a", kind)]
    for number, (structure, most) in enumerate(several):
        found = made(Random(number), structure, WantedChain(str(number), 4, most, 1, 6, True))
        if found is not None:
            met.update(combinations(chain_structure(written(found[0][0])).items(), 2))
    values = [[(name, value) for value in CHAIN[name]] for name in names]
    due = {pair for two in combinations(values, 2) for pair in product(*two)}
    assert {pair for pair in due if not is_impossible(*pair)} == met


@pytest.mark.parametrize("seed", range(10))
def test_structures_come_in_turn_such_that_each_pair_comes_often_from_any_seed(seed):
    """Of six values and more; each chain that is drawn is of the structure whose turn it is."""
    met = Counter(pair for one in structures_in_turn(str(seed)) for pair in combinations(one.items(), 2))
    assert min(met[pair] for pair in possible_pairs("smooth")) >= 5


def written(rows):
    return [[(part / TOTAL).hex() for part in row] for row in rows]


@pytest.mark.parametrize("n", some([40, 3, 9, 150], 2))
def test_chains_are_of_the_structure_that_is_wanted_and_of_so_many_states(n):
    number = 0
    for place, structure in enumerate(structures_in_turn("b", None, min(n, 4))[:60]):
        found = made(Random(place), structure, WantedChain(str(place), n // 2 + 1, n, 2, 4, True))
        for rows in found[0] if found else ():
            assert n // 2 < len(rows) <= n
            assert {sum(row) for row in rows} == {TOTAL}
            assert chain_structure(written(rows)) == structure
            number += 1
    assert number > 80


@pytest.mark.parametrize("size", [3, 4])
def test_a_fine_core_has_tiny_entries_and_is_more_than_a_circulant(size):
    """Rows that are those of the transpose in another order make a reversed chain as the chain itself."""
    wanted = WantedChain("fine", size, size, 1, size, False, True)
    found, has_tiny = Counter(), 0
    for number, structure in enumerate(structures_in_turn("fine", False, size)):
        one = made(Random(number), structure, replace(wanted, seed=str(number)))
        if one is not None and structure["likeness"] == "doubly stochastic":
            (rows,) = one[0]
            assert {sum(column) for column in zip(*rows, strict=True)} == {sum(row) for row in rows} == {TOTAL}
            turned = list(zip(*rows, strict=True))
            found[sorted(map(sorted, rows)) == sorted(map(sorted, turned))] += 1
        elif one is not None:
            has_tiny += min(part for row in one[0][0] for part in row if part) < TOTAL >> 20
    assert found[False] >= 5, found
    assert has_tiny >= 10


LIKE = {
    "symmetric": [["1/2", "1/4", "1/4"], ["1/4", "0", "3/4"], ["1/4", "3/4", "0"]],
    "doubly stochastic": [["1/2", "1/2", "0"], ["0", "1/2", "1/2"], ["0.5", "0", "1/2"]],
    "repeated rows": [["1/2", "1/4", "1/4"], ["0.5", "0.25", "2/8"], ["1", "0", "0"]],
    "ties": [["1/2", "1/4", "1/4"], ["0.5", "0.5", "0"], ["1", "0", "0"]],
    "none": [["1/2", "1/4", "1/4"], ["1/3", "2/3", "0"], ["1", "0", "0"]],
}


@pytest.mark.parametrize("likeness", LIKE)
def test_likenesses_are_of_values_not_of_texts(likeness):
    assert chain_structure(LIKE[likeness])["likeness"] == likeness


@pytest.mark.parametrize("zero", ["-0", "0.00", "0e5", "0/3", "0x0p+0", "-0x0.0p-3"])
def test_a_zero_is_one_however_it_is_written(zero):
    found = chain_structure([["1/2", "1/2", zero], [zero, "1/3", "2/3"], [zero, "1", zero]])
    assert (found["transient values"], found["zeros"], found["closed classes"]) == ("some", "by row", "1")


def test_a_question_has_the_structure_of_each_of_its_matrices_and_what_is_no_matrix_has_none():
    still, swap = [["1", "0"], ["0", "1"]], [["0", "1"], ["1", "0"]]
    given = {"backward": still, "forward": {"steps": [swap, still]}, "epsilons": ["1"]}
    first, second, third = structures_of("leakage", given)
    assert (first["steps"], second["steps"]) == ("one matrix", "each its own")
    assert (first["closed classes"], second["period"], third["closed classes"]) == ("2", "2", "2")
    assert first["correlations"] == "both"
    (alone,) = structures_of("worst_case_allocate", {"forward": still, "alpha": "1"})
    assert (alone["horizon"], alone["correlations"]) == ("absent", "forward")
    for broken in ([["1", "0"]], [["x"]], [["0"]], [[1]], [], "x", [["1/0"]]):
        assert not [*structures_of("loss", {"matrix": broken, "alpha": "1"})], broken


def test_in_large_chains_the_two_rows_farthest_apart_are_at_the_ends_and_nowhere_else():
    """At least in every other one, also in that whose columns do not sum to 1, as they do in the rest."""
    several = [
        one for one in structures_in_turn("ends", False) if one["likeness"] not in ("symmetric", "doubly stochastic")
    ]
    at_ends = Counter()
    for place, structure in enumerate(several[:60]):
        found = made(Random(place), structure, WantedChain(f"ends {place}", 32, 63, 1, 6, True, has_ends=True))
        if found is not None:
            ((rows,), _) = found
            far = {
                pair: sum(abs(a - b) for a, b in zip(*pair, strict=True)) for pair in combinations(map(tuple, rows), 2)
            }
            ends = tuple(rows[0]), tuple(rows[-1])
            own = [tuple(row) for row in rows]
            at_ends[far[ends] == max(far.values()) and own.count(ends[0]) == own.count(ends[1]) == 1] += 1
    assert at_ends[True] > at_ends[False] > 0
