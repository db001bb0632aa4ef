"""A policy as NumPy reads it: a small network from observations to actions, saved as one file."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from stiction.errors import InputError
from stiction.files.written import write_whole

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
        try:
            with np.load(path, allow_pickle=False) as file:
                found = {name: file[name] for name in file.files}
            told = json.loads(str(found.pop("told")))
            layers = sum(name.startswith("weight") for name in found)
            weights = [found[f"weight{k}"] for k in range(layers)]
            biases = [found[f"bias{k}"] for k in range(layers)]
            policy = cls(found["mean"], found["scale"], weights, biases, told)
        except (OSError, ValueError, KeyError, EOFError) as error:
            raise InputError(f"{path}: not a policy saved by stiction ({error})") from None
        policy.check(str(path))
        return policy

    def check(self, where: str) -> None:
        """Raise InputError if sizes do not fit or a number is not finite."""
        size = self.mean.shape
        fits = self.scale.shape == size and len(size) == 1 and len(self.weights) > 0
        inputs = size[0] if fits else 0
        for weight, bias in zip(self.weights, self.biases, strict=True):
            fits = fits and weight.ndim == 2 and weight.shape == (len(bias), inputs)
            inputs = len(bias)
        if not fits:
            raise InputError(f"{where}: the sizes of its layers do not fit to each other")
        for array in (self.mean, self.scale, *self.weights, *self.biases):
            if not np.isfinite(array).all():
                raise InputError(f"{where}: found a number that is not finite")
