"""Benchmark a network of your own, and two trivial baselines, with GRAB. It needs torch."""

import torch
from torch.nn.functional import cross_entropy

import graphfsa as gf


class Answers(torch.nn.Embedding):
    def predict(self, graph, inputs, *, steps):
        return self(torch.tensor(inputs, dtype=torch.long)).argmax(1)


class FromInput(gf.Learner):
    def fit(self, train, validation=None, *, seed=0):
        torch.manual_seed(seed)
        model = Answers(len(train.task.inputs), len(train.task.classes))
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
        inputs, labels = (torch.tensor(part, dtype=torch.long) for part in (train.inputs, train.labels))
        for _ in range(30):
            optimizer.zero_grad()
            cross_entropy(model(inputs), labels).backward()
            optimizer.step()
        return model


if __name__ == "__main__":
    learners = {"my network": FromInput(), "majority": "majority", "stay": "stay"}
    print(gf.reproduce(gf.Experiment.of("paper-1", learners), out="mine", seeds=2).markdown())
