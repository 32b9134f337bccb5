"""What decides whether a document may be found, and what was shown to whom.

`metadata` reads front matter, `digests` names exactly what a reader would see, `eligibility` holds
the one rule, `ledger` keeps reviews, quarantine, evidence and audit, `citations` writes and reads
`kb:` references and `evidence` saves passages under them. Import from the modules: this package
imports none of them, so that reading metadata does not load a database driver.
"""
