"""Copies between the arrays that users read and write, worlds along the last axis, and a world."""

from stiction.compiler.compiled import kernel


@kernel
def load_column(source, i, target):
    """Copy column i of an array to a world."""
    for k in range(len(target)):
        target[k] = source[k, i]


@kernel
def store_column(source, target, i):
    """Copy an array of a world to column i."""
    for k in range(len(source)):
        target[k, i] = source[k]


@kernel
def load_table(source, i, target):
    """Copy table i, (rows, fields, worlds), to a world."""
    for row in range(target.shape[0]):
        for k in range(target.shape[1]):
            target[row, k] = source[row, k, i]
