"""Score a screener on the labelled set in `evals/screening`: `python -m tools.score_screening`."""
