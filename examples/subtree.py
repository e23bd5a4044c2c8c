"""Is a node of a rooted tree marked, or a node below it? Inputs, classes and a function: an oracle to learn from."""

INPUTS = ("root0", "root1", "node0", "node1")
CLASSES = ("no", "yes")
EXACTLY = {("root0", "root1"): 1}


def label(graph, inputs):
    depths = graph.distances(next(node for node in graph.nodes if inputs[node].startswith("root")))
    labels = ["yes" if name.endswith("1") else "no" for name in inputs]
    for node in sorted(graph.nodes, key=lambda node: -depths[node]):
        if any(labels[other] == "yes" for other in graph.neighbours(node) if depths[other] > depths[node]):
            labels[node] = "yes"
    return labels


if __name__ == "__main__":
    from graphfsa import Graph, datasets

    tree, inputs = Graph.from_edges(5, [(0, 1), (1, 2), (0, 3), (3, 4)]), ["root0", "node0", "node1", "node0", "node0"]
    for node, found in enumerate(label(datasets.TaskGraph.of(tree), inputs)):
        print(f"node {node}: {inputs[node]}, {found}")
