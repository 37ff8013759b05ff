"""Absorbing Markov chains of small fleets that retry, solved by linear algebra. They share no code with Postern."""

from math import comb

import numpy


def binomial(tries, share):
    """The probabilities of 0, 1, … successes."""
    return [comb(tries, hits) * share**hits * (1 - share) ** (tries - hits) for hits in range(tries + 1)]


class Chain:
    """A chain over the states that can be reached from `start`. `step(state)` yields pairs of a probability and a state;
    `is_end(state)` says where the chain stays for ever."""

    def __init__(self, start, step, is_end):
        self.moves, waiting = {}, [start]
        while waiting:
            state = waiting.pop()
            if state not in self.moves:
                self.moves[state] = [] if is_end(state) else list(step(state))
                waiting += [after for _, after in self.moves[state]]
        self.start = start
        self.inner = [state for state, moves in self.moves.items() if moves]
        self.ends = [state for state, moves in self.moves.items() if not moves]
        row, column = ({state: index for index, state in enumerate(states)} for states in (self.inner, self.ends))
        stays, leaves = numpy.zeros((len(row), len(row))), numpy.zeros((len(row), len(column)))
        for state in self.inner:
            assert abs(sum(chance for chance, _ in self.moves[state]) - 1) < 1e-12, state
            for chance, after in self.moves[state]:
                matrix, index = (stays, row) if after in row else (leaves, column)
                matrix[row[state], index[after]] += chance
        # Entry (i, j) of the fundamental matrix is how often the chain is in j before it ends, if it begins in i.
        fundamental = numpy.linalg.inv(numpy.eye(len(row)) - stays)
        self.visits = dict(zip(self.inner, fundamental[row[start]]))
        self.absorbed = dict(zip(self.ends, fundamental[row[start]] @ leaves))

    def mean(self, cost):
        """The expected sum of `cost(state)` over all states before the end."""
        return sum(visits * cost(state) for state, visits in self.visits.items())

    def chance(self, wanted):
        """The probability to end in a state for which `wanted` holds."""
        return sum(chance for state, chance in self.absorbed.items() if wanted(state))


class Queue(Chain):
    """All clients ask at once, before a provider with `places` that take one step each, and a queue of `queue_max`.

    A state at the beginning of a step: how many ask, how many wait in the queue, how many were failed in the step before and
    ask in the next one. A request fails with the probability `failing`, when its time at the provider is over. A refused
    client asks again in the next step."""

    def __init__(self, clients, places, queue_max, failing):
        self.places, self.queue_max = places, queue_max
        super().__init__((clients, 0, 0), lambda state: self.step(state, failing), lambda state: sum(state) == 0)

    def served(self, state):
        """The requests that begin, that wait, and that are refused."""
        asking, queued, _ = state
        first = min(queued, self.places)
        direct = min(asking, self.places - first)
        waiting = min(self.queue_max, queued - first + asking - direct)
        return first + direct, waiting, queued - first + asking - direct - waiting

    def step(self, state, failing):
        begun, waiting, refused = self.served(state)
        # Those that fail in this step wait in the next, and ask in the one after it.
        for failed, chance in enumerate(binomial(begun, failing)):
            yield chance, (refused + state[2], waiting, failed)


class Budget(Chain):
    """Clients ask one after the other, in rounds, and share a retry budget of `capacity`, counted in `parts` of a retry.

    A first request takes nothing; each retry takes a whole, and each token puts one part back. A client whose retry is held
    back has failed, and its turn comes in the next round. A state: the clients that still ask in this round, the clients that
    failed in it, the parts that are left, whether it is the first round."""

    def __init__(self, clients, capacity, parts, failing):
        self.full, self.parts, self.failing = capacity * parts, parts, failing
        super().__init__((clients, 0, self.full, True), self.step, self.is_end)

    def is_stuck(self, state):
        asking, failed, left, is_first = state
        return not is_first and left < self.parts and asking + failed > 0

    def is_end(self, state):
        return state[0] + state[1] == 0 or self.is_stuck(state)

    def step(self, state):
        asking, failed, left, is_first = state
        if asking == 0:
            yield 1, (failed, 0, left, False)
            return
        paid = left if is_first else left - self.parts
        yield self.failing, (asking - 1, failed + 1, paid, is_first)
        yield 1 - self.failing, (asking - 1, failed, min(self.full, paid + 1), is_first)

    def calls(self):
        """The expected requests of all clients."""
        return self.mean(lambda state: 1 if state[0] else 0)
