"""Learn from NetworkX graphs with node attributes, and compare with a recurrent GNN (which needs torch)."""

import networkx as nx

import graphfsa as gf


def labelled(size: int, seed: int) -> nx.Graph:
    """A random tree: is a node at an even or an odd distance from node 0?"""
    tree = nx.random_labeled_tree(size, seed=seed)
    for node, distance in nx.single_source_shortest_path_length(tree, 0).items():
        tree.nodes[node].update(input="root" if node == 0 else "node", label="odd" if distance % 2 else "even")
    return tree


train = [labelled(size, seed) for size in range(2, 9) for seed in range(30)]
test = [labelled(60, seed) for seed in range(100, 120)]
for learner in ("exact", "recurrent-gnn"):
    try:
        model = gf.learn(train, learner)
        print(f"{learner}: {model.verdict}, {model.accuracy(test):.3f} on larger trees")
    except gf.GraphFSAError as error:
        print(f"{learner}: {error}")
print(gf.learn(train).by_node(nx.path_graph(["a", "b", "c"]), {"b": "root"}, default="node"))
