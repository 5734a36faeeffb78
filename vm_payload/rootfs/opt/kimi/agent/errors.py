"""What a verb says when it is not done."""


class AgentError(Exception):
    """Not done, and why, in one sentence that a person on a phone can use."""
