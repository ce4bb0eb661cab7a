"""Rows and columns with the same names in another order are put in order, by every way."""

from hypothesis import given
from hypothesis import strategies as st

from ..commands import refused
from ..profiles import examples
from .tables import agreed, count_tables, every_way_of_a_table, written

READ = ("loss", "-", "--alpha", "1", "--role", "forward")


@examples(10)
@given(count_tables(), st.data())
def test_labels_in_another_order_are_put_in_order(table, data):
    names, rows = table
    order = data.draw(st.permutations(range(len(names))).filter(lambda order: order != sorted(order)))
    found = every_way_of_a_table(names, [rows[at] for at in order], [names[at] for at in order])
    assert agreed(found)[:2] == (names, rows)
    unlike = every_way_of_a_table(names, rows, [*names[:-1], "other"])
    if names[0] == "0":  # which frames have where there are no names
        unlike = {"CSV": unlike["CSV"]}
    assert {*map(str, unlike.values())} == {"InvalidRequest"}
    wide = written([*names, "n"], [[*row, sum(row) + 1] for row in rows], names)
    for command in ((*READ, "--entries", "counts"), ("estimate", "-", "--count-table")):
        assert ("NotSquare" if names[0] == "0" else "is 'n' and") in refused(*command, stdin=wide)
