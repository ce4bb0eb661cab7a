"""The worst leakage by enumeration, and by a linear program over all private streams; shares no code."""

from fractions import Fraction
from itertools import permutations, product

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

from tploracle.reference.laws import SecondOrder


def shares(matrix):
    """Return the stationary distribution, from a left eigenvector."""
    values, vectors = np.linalg.eig(np.array(matrix, dtype=float).T)
    found = np.real(vectors[:, np.argmin(abs(values - 1))])
    return found / found.sum()


def reversal(matrix):
    """Return the reversal of a matrix under its stationary distribution."""
    matrix, weights = np.array(matrix, dtype=float), shares(matrix)
    return (matrix * weights[:, None] / (weights @ matrix)).T


def likelihoods(steps, epsilons, reach):
    """Yield Pr("yes" at all these releases | the value at the time in question), up to a factor, for all sets.

    Args: steps[s], the rows Pr(value at release s | value at release s + 1), the last one given the time in question;
    epsilons of the releases, the farthest first; reach, which sets each release may ask about.
    """
    for sets in product(reach, repeat=len(steps)):
        f = np.ones(len(steps[0]) if steps else 1)
        for step, epsilon, inside in zip(steps, epsilons, sets, strict=True):
            f = np.array(step, dtype=float) @ (f * np.exp(epsilon * np.array(inside)))
        yield f


def worst_tpl(backward, forward, epsilons, time):
    """Return TPL at a time, from 1, of the worst streams with these budgets. Args: a matrix for all steps, or for each.

    Given the value at that time past and future are independent, so each is worst by itself for each pair of values.
    """
    n = np.array(forward).shape[-1]
    reach = list(product((0.0, 1.0), repeat=n))
    past = [_step(backward, s) for s in range(time - 1)]
    future = [_step(forward, s) for s in range(len(epsilons) - 2, time - 2, -1)]
    before = list(likelihoods(past, epsilons[: time - 1], reach)) if past else [np.ones(n)]
    after = list(likelihoods(future, epsilons[: time - 1 : -1], reach)) if future else [np.ones(n)]
    worst = max(
        max(f[j] / f[k] for f in before) * max(f[j] / f[k] for f in after) for j, k in permutations(range(n), 2)
    )
    return epsilons[time - 1] + float(np.log(worst))


def worst_of_all_streams(weights, epsilons, time):
    """Return the greatest TPL at a time, from 0. Args: weights, of each sequence of values, an axis for each time."""
    n, size = weights.shape[0], weights.size
    place = np.arange(size).reshape(weights.shape)
    rows, columns, entries, count = [], [], [], 0
    for s, epsilon in enumerate(epsilons):
        for one, other in permutations(range(n), 2):
            here, there = (np.take(place, value, axis=s).ravel() for value in (one, other))
            rows += [np.arange(count, count + here.size)] * 2
            columns += [here, there]
            entries += [np.ones(here.size), np.full(here.size, -np.exp(epsilon))]
            count += here.size
    limits = coo_matrix((np.concatenate(entries), (np.concatenate(rows), np.concatenate(columns))), (count, size))
    given = [np.where(np.indices(weights.shape)[time] == value, weights, 0).ravel() for value in range(n)]
    given = [own / own.sum() for own in given if own.any()]
    worst = 1.0
    for j, k in permutations(given, 2):
        found = linprog(-j, A_ub=limits.tocsr(), b_ub=np.zeros(count), A_eq=k[None], b_eq=[1], bounds=(0, None))
        worst = max(worst, -found.fun)
    return float(np.log(worst))


def drawn_law(rng, n, zeros=0, least=0):
    """Draw a chain of second order, with zeros of three kinds, the second of which begins with one value.

    Args: least, of the weights: where it is great, all rows are nearly equal.
    """
    shape = n + 1, n, n
    table = rng.integers(least, least + 9, shape) * rng.integers(0, 2, (zeros, *shape)).prod(axis=0)
    table += np.eye(n, dtype=int)[rng.integers(n, size=shape[:2])]
    if zeros == 1:
        table[n, 1:] = 0
    kernel = tuple(tuple(tuple(Fraction(int(c), int(row.sum())) for c in row) for row in each) for each in table[:n])
    initial = tuple(tuple(Fraction(int(c), int(table[n].sum())) for c in row) for row in table[n])
    return SecondOrder(initial, kernel)


def weights_of(law, releases):
    """Return Pr of each sequence by multiplying along it."""
    found = np.zeros((law.n,) * releases)
    for y in product(range(law.n), repeat=releases):
        found[y] = float(law.initial[y[0]][y[1]])
        for a, b, c in zip(y, y[1:], y[2:], strict=False):
            found[y] *= float(law.kernel[a][b][c])
    return found


def _step(matrices, number):
    matrices = np.array(matrices, dtype=float)
    return matrices if matrices.ndim == 2 else matrices[number]


def loss(matrix, alpha):
    """Return L(α): the greatest over all pairs of rows and sets of columns, each set taken."""
    excess, best = np.expm1(alpha), 0.0
    for q, d in product(matrix, repeat=2):
        for chosen in range(1 << len(matrix)):
            taken = [bool(chosen >> place & 1) for place in range(len(matrix))]
            best = max(best, np.log((q[taken].sum() * excess + 1) / (d[taken].sum() * excess + 1)))
    return best


def worst_by_recursion(backward, forward, epsilons):
    """Return the greatest TPL over time, by the paper's recursions."""
    sides = []
    for matrix, course in ((backward, epsilons), (forward, epsilons[::-1])):
        levels = [course[0]]
        for epsilon in course[1:]:
            levels.append(loss(matrix, levels[-1]) + epsilon)
        sides.append(levels)
    return max(b + f - e for b, f, e in zip(sides[0], sides[1][::-1], epsilons, strict=True))
