"""How long something takes: processor time, for the machine may have other work."""

import resource
import time


def spent():
    """Return the seconds of processor time of this process, and of the programs that it ran and that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
