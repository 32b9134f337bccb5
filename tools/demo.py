"""`make demo`; nothing else is imported before signals are heeded (demo_run.py does the work)."""

from __future__ import annotations

import sys

from orrery_knowledge.cli.signals import leave_when_interrupted

if __name__ == "__main__":
    leave_when_interrupted()
    from demo_run import main

    sys.exit(main())
