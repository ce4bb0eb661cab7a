"""Users of populations as tests make them: counts drawn, as tables and as chunks."""

from fractions import Fraction
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tploracle.population.question import PopulationQuestion, UserChunk

QUESTION = PopulationQuestion(("1/10", "1/3", "log(3)", "1/10"), "1/10", "1", Fraction(1, 3))


def drawn_counts(count, n, seed=1):
    """Return counts: sparse, dense, with rows that are empty, of one state, and users that are equal."""
    random = Random(seed)

    def user(kind):
        if kind == 0:
            return [[0] * n for _ in range(n)]
        if kind == 1:
            return [[5 * (j == k) for k in range(n)] for j in range(n)]
        most = (1, 3, 30, 10**6)[kind % 4]
        return [[random.randint(0, most) * (random.random() < 0.7) for _ in range(n)] for _ in range(n)]

    users = [user(number % 11) for number in range(count)]
    return np.array([users[number - 7] if number % 5 == 4 else own for number, own in enumerate(users)], dtype=np.int64)


def drawn_chunk(count, n, seed=1):
    return UserChunk([f"u{number}" for number in range(count)], drawn_counts(count, n, seed), size=count)


def write_table(path, counts, **more):
    """Write a table of users: a list of counts for each."""
    lists = [own.ravel().tolist() for own in counts]
    columns = {"user": [f"u{number}" for number in range(len(lists))], "counts": lists, **more}
    pq.write_table(pa.table(columns), path)
    return str(path)


def rows_of(content):
    """Return the rows of a part by user."""
    return {row["user"]: row for row in pq.read_table(content).to_pylist()}
