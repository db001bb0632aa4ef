"""The same world, controller and ground under several contact models and engines, as one page."""

from stiction.compare.compare import compare, report
from stiction.compare.runs import Case, Refused, Run, case_of, run_engine, run_model

__all__ = ["Case", "Refused", "Run", "case_of", "compare", "report", "run_engine", "run_model"]
