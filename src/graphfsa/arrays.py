"""The type of every array; what it holds and its shape are said where it is used."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
