"""What nobody has written: what was asked in vain, and alert rules without a runbook."""
