"""What a verb says when it is not done."""


class AgentError(Exception):
    """Not done, and why, in one sentence that a person on a phone can use."""


class Passing(AgentError):
    """Not done, and it may well be soon; `after` is how long to wait, in seconds."""

    def __init__(self, said: str, after: float | None = None) -> None:
        super().__init__(said)
        self.after = after
