"""Workers in this process, for tests: what they are given is what workers of a cluster are given."""

import numpy as np

from graphfsa.engine.cluster.shard import Shard
from graphfsa.engine.cluster.sharded import WorkerLostError


class Here:
    """Workers in this process, of which one is lost now and then."""

    def __init__(self, size, losses=0.0, seed=0):
        self.size = size
        self.minutes = 1e-9  # States are saved after each call.
        self.watch = None
        self.facts = None
        self.shards = [{} for _ in range(size)]
        self.lost = set()
        self.losses = losses
        self.rng = np.random.default_rng(seed)

    def call(self, worker, method, key, *arguments, results=1):
        if worker in self.lost or self.rng.random() < self.losses:
            self.lost.add(worker)
            return [None] * results if results > 1 else None
        if any(argument is None for argument in arguments) and method == "step":
            return [None] * results if results > 1 else None
        if method == "begin":
            self.shards[worker][key] = Shard(*arguments)
            return True
        if method == "end":
            return self.shards[worker].pop(key, True)
        found = getattr(self.shards[worker][key], method)(*arguments)
        if method == "step":
            return found if len(found) > 1 else found[0]
        return True if found is None else found

    def share(self, value):
        return value

    def get(self, tickets):
        if any(ticket is None for ticket in tickets):
            raise WorkerLostError("lost")
        return tickets

    def replace_lost(self):
        lost, self.lost = sorted(self.lost), set()
        for worker in lost:
            self.shards[worker] = {}
        return lost

    def threads(self, worker):
        return 1
