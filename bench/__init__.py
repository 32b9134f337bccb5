"""Figures for `make bench`: every engine over the same rows in one run. Never asserted."""

import os

# Before numpy is loaded. The threads of its BLAS spin while they wait for more work, for longer
# than a search takes, and whichever engine is asked next would be charged for it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
