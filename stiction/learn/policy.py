"""A policy as NumPy reads it: a small network from observations to actions, saved as one file."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from stiction.errors import InputError
from stiction.files.written import write_whole
from stiction.robot.file import UNREADABLE, check_sizes

FORMAT = 1


@dataclass(frozen=True)
class Policy:
    """Layers of a network with ELU between them; the actions are its outputs, from -1 to 1."""

    mean: np.ndarray  # (observed) of the observations that it learned from
    scale: np.ndarray  # (observed) their standard deviation
    weights: Sequence[np.ndarray]  # (outputs, inputs) of each layer
    biases: Sequence[np.ndarray]  # (outputs) of each layer
    trained: dict[str, Any] = field(default_factory=dict)  # robot, options, and how it went

    def __call__(self, observations: np.ndarray) -> np.ndarray:
        """Actions for observations, (worlds, joints)."""
        x = np.clip((observations - self.mean) / self.scale, -10.0, 10.0)
        for k, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            x = x @ weight.T + bias
            if k + 1 < len(self.weights):
                x = np.where(x > 0, x, np.expm1(np.minimum(x, 0.0)))
        return np.clip(x, -1.0, 1.0)

    def save(self, path: str | Path) -> None:
        """Write one .npz file."""
        arrays: dict[str, Any] = {"mean": self.mean, "scale": self.scale}
        for k, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            arrays |= {f"weight{k}": weight, f"bias{k}": bias}
        told = json.dumps({"format": FORMAT, **self.trained})
        data = io.BytesIO()
        np.savez_compressed(data, told=np.array(told), **arrays)
        write_whole(path, data.getbuffer(), "policy", InputError)

    @classmethod
    def load(cls, path: str | Path) -> Policy:
        """Read and check a saved policy."""
        if not Path(path).is_file():
            raise InputError(f"{path}: no such file")
        try:
            check_sizes(path)
            with np.load(path, allow_pickle=False) as file:
                found = {name: file[name] for name in file.files}
            told = json.loads(str(found.pop("told")))
            if not isinstance(told, dict) or told.get("format") != FORMAT:
                raise ValueError(f"format {FORMAT} is expected")
            layers = sum(name.startswith("weight") for name in found)
            weights = [found[f"weight{k}"] for k in range(layers)]
            biases = [found[f"bias{k}"] for k in range(layers)]
            policy = cls(found["mean"], found["scale"], weights, biases, told)
        except KeyError as missing:
            raise InputError(
                f"{path}: not a policy saved by stiction: it has no {missing}"
            ) from None
        except UNREADABLE as error:
            raise InputError(f"{path}: not a policy saved by stiction ({error})") from None
        policy.check(str(path))
        return policy

    def check(self, where: str) -> None:
        """Raise InputError if sizes do not fit or a number is not finite."""
        arrays = (self.mean, self.scale, *self.weights, *self.biases)
        if any(array.dtype.kind != "f" for array in arrays):
            raise InputError(f"{where}: the layers of a policy hold floating-point numbers")
        sizes = [self.mean.shape, *(bias.shape for bias in self.biases)]
        fits = len(self.weights) > 0 and self.scale.shape == self.mean.shape
        fits = fits and all(len(size) == 1 for size in sizes)
        for weight, (before, after) in zip(self.weights, pairwise(sizes), strict=True):
            fits = fits and weight.shape == (*after, *before)
        if not fits:
            raise InputError(f"{where}: the sizes of its layers do not match")
        for array in arrays:
            if not np.isfinite(array).all():
                raise InputError(f"{where}: found a number that is not finite")
        if not (self.scale > 0).all():
            raise InputError(f"{where}: a scale of observations is not positive")
