"""Tables of counts, drawn and written as people have them."""

from hypothesis import strategies as st

import tploracle

NAMES = [["sunny", "rainy", "cloudy"], ["AAA", "BBB", "NR", "D"], ["W", "N1", "N2", "N3", "REM"], ["0", "1", "2"]]


@st.composite
def count_tables(draw):
    names = draw(st.sampled_from(NAMES))
    entry = st.integers(1, 900)
    row = st.lists(entry, min_size=len(names), max_size=len(names))
    return names, draw(st.lists(row, min_size=len(names), max_size=len(names)))


def written(names, rows, index=None):
    index = names if index is None else index
    return "\n".join([",".join(["", *names]), *(",".join(map(str, [n, *r])) for n, r in zip(index, rows, strict=True))])


def of_counts(rows):
    return [[str(entry) for entry in row] for row in tploracle.transition_counts(rows).forward().texts()]
