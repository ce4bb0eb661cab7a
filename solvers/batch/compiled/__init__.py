"""The numbers of a population of counts, compiled by numba (the extra `fast`): user by user, in pairs of doubles.

Nothing here is imported unless it is asked for (`kernel`, through `solvers.batch.enclosures`).
"""
