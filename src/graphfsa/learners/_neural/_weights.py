"""The weights of a network: named tensors in one piece of memory, and the layers that are made of them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from graphfsa.arrays import Array
from graphfsa.learners._torch import torch

if TYPE_CHECKING:
    from torch import Tensor

Shapes = Mapping[str, tuple[int, ...]]
_FINE = 2**16
"""Chances of dropout are multiples of one over this."""


def layer(name: str, wide_in: int, wide_out: int) -> dict[str, tuple[int, ...]]:
    """Shapes of a linear layer: ``NAME.weight`` and ``NAME.bias``."""
    return {f"{name}.weight": (wide_out, wide_in), f"{name}.bias": (wide_out,)}


def mlp(name: str, *widths: int) -> dict[str, tuple[int, ...]]:
    """Shapes of linear layers one after the other: ``NAME.0.weight`` and so on."""
    shapes: dict[str, tuple[int, ...]] = {}
    for place, (wide_in, wide_out) in enumerate(pairwise(widths)):
        shapes |= layer(f"{name}.{place}", wide_in, wide_out)
    return shapes


def first_weights(shapes: Shapes, rng: np.random.Generator) -> dict[str, Array]:
    """Weights to begin with, uniform within one over the square root of how many numbers a layer takes in."""
    weights: dict[str, Array] = {}
    for name, shape in shapes.items():
        wide = shapes[name.removesuffix(".bias") + ".weight"] if name.endswith(".bias") else shape
        limit = 1 / np.sqrt(max(1, wide[-1]))
        weights[name] = rng.uniform(-limit, limit, shape).astype(np.float32)
    return weights


class Weights:
    """Named tensors, which are views of one vector.

    Args:
        arrays: float32 arrays by name.
        noise: Source of the randomness of dropout, while training; None for no dropout.
    """

    def __init__(self, arrays: Mapping[str, Array], noise: np.random.Generator | None = None) -> None:
        library = torch()
        flat = np.concatenate([np.empty(0, np.float32), *(array.reshape(-1) for array in arrays.values())])
        self.flat: Tensor = library.from_numpy(flat)
        self.noise = noise
        self.tensors: dict[str, Tensor] = {}
        begin = 0
        for name, array in arrays.items():
            view = self.flat[begin : begin + array.size].view(array.shape).detach()
            self.tensors[name] = view.requires_grad_(noise is not None)
            begin += array.size

    def __getitem__(self, name: str) -> Tensor:
        return self.tensors[name]

    def arrays(self) -> dict[str, Array]:
        """A copy of the weights, float32 arrays by name."""
        return {name: tensor.detach().numpy().copy() for name, tensor in self.tensors.items()}

    def linear(self, name: str, values: Tensor) -> Tensor:
        """A linear layer, [nodes, width out] of [nodes, width in]."""
        return torch().nn.functional.linear(values, self[f"{name}.weight"], self[f"{name}.bias"])

    def mlp(self, name: str, values: Tensor, *, dropout: float = 0.0, last: bool = False) -> Tensor:
        """Linear layers with ReLU between them.

        Args:
            name: The layers are ``NAME.0``, ``NAME.1`` and so on.
            values: What goes in, [nodes, width].
            dropout: Chance of dropout, once, after the first ReLU.
            last: Whether there is a ReLU after the last layer, too.
        """
        return self.mlp_after_first(name, self.linear(f"{name}.0", values), dropout=dropout, last=last)

    def mlp_after_first(self, name: str, values: Tensor, *, dropout: float = 0.0, last: bool = False) -> Tensor:
        """The same from what the first layer gave; its ReLU is taken in place."""
        place = 1
        while f"{name}.{place}.weight" in self.tensors:
            values = values.relu_()
            if place == 1:
                values = self.dropout(values, dropout)
            values = self.linear(f"{name}.{place}", values)
            place += 1
        return values.relu_() if last else values

    def dropout(self, values: Tensor, chance: float) -> Tensor:
        """While training, each number is 0 with a given chance, and the others are larger for it."""
        if self.noise is None or chance == 0:
            return values
        # Bytes are much faster to draw than numbers between 0 and 1, here and in torch.
        drawn = np.frombuffer(self.noise.bytes(2 * values.numel()), np.uint16).reshape(values.shape)
        kept = (drawn >= round(chance * _FINE)) * np.float32(1 / (1 - chance))
        return values * torch().from_numpy(kept)
