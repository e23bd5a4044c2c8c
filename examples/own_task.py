"""Define a task, learn it from small trees, and verify the automaton on all trees of up to 7 nodes."""

import graphfsa as gf


class NearMark(gf.CustomTask):
    """Is a node marked, or next to the marked node?"""

    inputs = ("plain", "marked")
    classes = ("far", "near")
    graphs = "tree"
    exactly = {"marked": 1}

    def label(self, graph, inputs):
        mark = inputs.index("marked")
        return ["near" if distance <= 1 else "far" for distance in graph.distances(mark)]


if __name__ == "__main__":
    model = gf.learn(NearMark)
    print(model.rules())
    found = gf.verify(model, max_nodes=7)
    print(f"right on all {found.graphs} trees with {found.instances} marks: {found.verified}")
    print(gf.evaluate(model, sizes=[10, 100]).accuracy)
    model.save("near-mark.json")
