"""Define an aggregation, learn with it, save the model, and load it in another process."""

import subprocess
import sys

import networkx as nx

import graphfsa as gf


class ParityAggregation(gf.Aggregation):
    """Whether a node has an odd number of neighbours in the last state."""

    def num_values(self, num_states):
        return 2

    def encode(self, states, slots, num_states):
        return states.count(num_states - 1) % 2


if __name__ == "__main__":
    graphs = [nx.gnp_random_graph(6, 0.5, seed=seed) for seed in range(60)]
    for graph in graphs:
        for node, around in graph.adjacency():
            graph.nodes[node].update(input=node % 2, label=sum(other % 2 for other in around) % 2)
    gf.learn(graphs, steps=1, aggregation=ParityAggregation()).save("parity.json")
    subprocess.run([sys.executable, "-m", "graphfsa", "--plugin", __file__, "rules", "parity.json"], check=True)
