"""Who is addressed, what is asked, and in what form: the cues of instructions aimed at an agent."""
