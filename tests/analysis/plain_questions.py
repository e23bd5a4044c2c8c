"""Questions about every run in plain Python: one configuration after the other, no symmetries, no kernels."""

from itertools import product

import networkx as nx

from graphfsa import GraphFSA
from graphfsa.engine.reference import reference_values


def next_states(fsa, graph, states):
    """For each node, the states that it may move to; its own is among them if it may stay."""
    found = []
    for state, value in zip(states, reference_values(fsa, graph, states), strict=True):
        entry = fsa.transition_table[state, value]
        found.append({int(entry)} if isinstance(fsa, GraphFSA) else set(fsa.outcomes[entry].nonzero()[0].tolist()))
    return found


def enabled(fsa, graph, states):
    options = next_states(fsa, graph, states)
    return frozenset(node for node, state in enumerate(states) if options[node] != {state})


def neighbours(graph, node):
    arcs = list(zip(graph.indices.tolist(), graph.targets().tolist(), strict=True))
    return {u for u, v in arcs if v == node} | {v for u, v in arcs if u == node} - {node}


def allowed_sets(fsa, graph, states, scheduler):
    able = sorted(enabled(fsa, graph, states))
    if scheduler == "synchronous":
        return [frozenset(able)] if able else []
    if scheduler == "central":
        return [frozenset({node}) for node in able]
    sets = [
        frozenset(node for node, chosen in zip(able, row, strict=True) if chosen)
        for row in product((0, 1), repeat=len(able))
    ]
    sets = [each for each in sets if each]
    if scheduler == "distributed":
        return sets
    return [each for each in sets if not any((neighbours(graph, u) - {u}) & each for u in each)]


def actions(fsa, graph, states, scheduler):
    """Each set of nodes that may move, with all that may come of it."""
    options = next_states(fsa, graph, states)
    for movers in allowed_sets(fsa, graph, states, scheduler):
        ways = [sorted(options[node]) if node in movers else [state] for node, state in enumerate(states)]
        yield movers, set(product(*ways))


class Plain:
    """Everything that starts lead to."""

    def __init__(self, fsa, graph, starts, scheduler, right):
        self.fsa, self.graph = fsa, graph
        self.after = {}
        self.starts = {tuple(start) for start in starts}
        waiting = list(self.starts)
        while waiting:
            states = waiting.pop()
            if states not in self.after:
                self.after[states] = list(actions(fsa, graph, states, scheduler))
                waiting += [target for _, targets in self.after[states] for target in targets]
        self.able = {states: enabled(fsa, graph, states) for states in self.after}
        self.right = {states for states in self.after if right(states)}

    def goal(self, kind):
        if kind != "eventually always":
            return self.right
        lost = set(self.after) - self.right
        while True:
            more = {s for s, ways in self.after.items() if s not in lost and any(targets & lost for _, targets in ways)}
            if not more:
                return set(self.after) - lost
            lost |= more

    def waiting(self, goal):
        """What is come to before the goal."""
        found, waiting = set(), [start for start in self.starts if start not in goal]
        while waiting:
            states = waiting.pop()
            if states not in found:
                found.add(states)
                waiting += [t for _, targets in self.after[states] for t in targets if t not in goal]
        return found

    def holds(self, kind, fair=False):
        if kind == "always":
            return self.right == set(self.after)
        waiting = self.waiting(self.goal(kind))
        if any(not self.after[states] for states in waiting):
            return False
        if fair:
            return not (self.fair_cycles(waiting) if isinstance(self.fsa, GraphFSA) else self.fair_traps(waiting))
        return not self.traps(waiting)

    def traps(self, region):
        """The largest set in which somebody can keep a run, whatever the coins say."""
        trap = set(region)
        while True:
            kept = {s for s in trap if any(targets <= trap for _, targets in self.after[s])}
            if kept == trap:
                return trap
            trap = kept

    def loop(self, start, region, fair):
        """The length of the shortest way back within a region; a fair one serves every node. None if there is none."""
        everybody = frozenset(range(self.graph.num_nodes))
        first = start, everybody - self.able[start] if fair else everybody
        found, waiting = {first: 0}, [first]
        for pair in waiting:
            for movers, targets in self.after[pair[0]]:
                for target in targets & region:
                    served = pair[1] | movers | (everybody - self.able[target])
                    if target == start and served == everybody:
                        return found[pair] + 1
                    if (target, served) not in found:
                        found[target, served] = found[pair] + 1
                        waiting.append((target, served))
        return None

    def fair_traps(self, region):
        """Where somebody can keep a run in such a way that rounds surely end again and again.

        Pairs of a configuration and the nodes that its round waits for: the largest set of them from each of which the
        end of a round can be reached by actions that surely stay in the set.
        """
        moves = {}
        waiting = [(states, self.able[states]) for states in region]
        for pair in waiting:
            if pair in moves:
                continue
            moves[pair] = []
            for movers, targets in self.after[pair[0]]:
                if targets <= region:
                    left = {target: (pair[1] - movers) & self.able[target] for target in targets}
                    ends = any(not each for each in left.values())
                    after = {(target, each or self.able[target]) for target, each in left.items()}
                    moves[pair].append((after, ends))
                    waiting += after
        trap = set(moves)
        while True:
            kept = {pair: [(after, ends) for after, ends in moves[pair] if after <= trap] for pair in trap}
            reach = {pair for pair, ways in kept.items() if any(ends for _, ends in ways)}
            while more := {p for p, ways in kept.items() if p not in reach and any(after & reach for after, _ in ways)}:
                reach |= more
            if reach == trap:
                return trap
            trap = reach

    def rounds(self, region):
        """Configurations with the nodes that their round waits for; arcs say whether a round ends."""
        graph = nx.DiGraph()
        waiting = [(states, self.able[states]) for states in region & self.starts]
        graph.add_nodes_from(waiting)
        seen = set()
        while waiting:
            pair = waiting.pop()
            if pair in seen:
                continue
            seen.add(pair)
            for movers, targets in self.after[pair[0]]:
                (target,) = targets
                if target not in region:
                    graph.add_edge(pair, "goal", ends=1)
                    continue
                left = (pair[1] - movers) & self.able[target]
                after = (target, left or self.able[target])
                ends = int(not left)
                if graph.has_edge(pair, after):
                    ends = max(ends, graph[pair][after]["ends"])
                graph.add_edge(pair, after, ends=ends)
                waiting.append(after)
        return graph

    def fair_cycles(self, region):
        """Whether a run can stay with rounds that end again and again: that is what weakly fair means."""
        graph = self.rounds(region)
        part = {pair: place for place, some in enumerate(nx.strongly_connected_components(graph)) for pair in some}
        return any(ends and part[u] == part[v] for u, v, ends in graph.edges(data="ends"))

    def worst_rounds(self, region):
        graph = self.rounds(region)
        part = {pair: place for place, some in enumerate(nx.strongly_connected_components(graph)) for pair in some}
        small = nx.DiGraph()
        small.add_nodes_from(part.values())
        for u, v, ends in graph.edges(data="ends"):
            if part[u] != part[v]:
                known = small.get_edge_data(part[u], part[v], {"ends": 0})["ends"]
                small.add_edge(part[u], part[v], ends=max(ends, known))
        return nx.dag_longest_path_length(small, weight="ends")

    def worst(self, region, weight):
        """The longest way out of a region, or None if it has no end."""
        graph = nx.DiGraph()
        graph.add_nodes_from(region)
        for states in region:
            for movers, targets in self.after[states]:
                for target in targets:
                    end = target if target in region else "goal"
                    known = graph.get_edge_data(states, end, {"weight": 0})["weight"]
                    graph.add_edge(states, end, weight=max(known, weight(movers)))
        if not nx.is_directed_acyclic_graph(graph):
            return None
        return nx.dag_longest_path_length(graph) if region else 0

    def distances(self, goal):
        """Steps from the starts to what is come to before the goal."""
        found = {start: 0 for start in self.starts if start not in goal}
        waiting = list(found)
        for states in waiting:
            for _, targets in self.after[states]:
                for target in targets:
                    if target not in goal and target not in found:
                        found[target] = found[states] + 1
                        waiting.append(target)
        return found


def check_run(run, scheduler, fair=False):
    """Raise unless every step of a run is one that the scheduler allows, and the loop is one."""
    frames = [tuple(row) for row in run.states.tolist()]
    assert len(frames) == len(run.moves) + 1
    for before, movers, after in zip(frames, run.moves, frames[1:], strict=False):
        assert any(
            set(movers) == each and after in ways for each, ways in actions(run.fsa, run.graph, before, scheduler)
        )
    if run.loop is None:
        return
    assert frames[-1] == frames[run.loop]
    if run.loop == len(run.moves):
        assert not enabled(run.fsa, run.graph, frames[-1])
    elif fair:
        part = range(run.loop, len(run.moves))
        for node in range(run.graph.num_nodes):
            assert any(node in run.moves[k] or node not in enabled(run.fsa, run.graph, frames[k]) for k in part)
