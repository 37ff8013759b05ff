"""What waits more than it works is done several at a time: the work of all cases of a parametrised test, from the first that is asked for."""

import concurrent.futures
import contextlib


@contextlib.contextmanager
def working(request, test, work, at_once):
    """For the parameters of each case of `test` that was chosen, what `work(**parameters)` will have returned.

    The cases are named by `request.node.callspec.id`.
    """
    cases = {
        item.callspec.id: item.callspec.params
        for item in request.session.items
        if getattr(item, "function", None) is test
    }
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        yield {name: pool.submit(work, **parameters) for name, parameters in cases.items()}
