"""The same run on several machines, with Ray: every worker moves a part of the nodes, and hears of the others' rim."""

from graphfsa.engine.cluster.session import Cluster, opened
from graphfsa.engine.cluster.sharded import Sharded, ShardedCoins

__all__ = ["Cluster", "Sharded", "ShardedCoins", "opened"]
