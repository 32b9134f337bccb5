"""``python -m orrery_knowledge.cli`` is the same as ``orrery-knowledge``."""

from orrery_knowledge.cli.main import main

main()
