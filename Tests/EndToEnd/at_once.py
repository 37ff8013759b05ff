"""Runs work that mostly waits several at a time: for all cases of a parametrised test, from the first case on."""

import concurrent.futures
import contextlib


@contextlib.contextmanager
def working(request, test, work, at_once):
    """The results of `work(**parameters)` for each selected case of `test`, as futures.

    The cases are named by `request.node.callspec.id`.
    """
    cases = {
        item.callspec.id: item.callspec.params
        for item in request.session.items
        if getattr(item, "function", None) is test
    }
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        yield {name: pool.submit(work, **parameters) for name, parameters in cases.items()}
