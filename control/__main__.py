"""Runs the command line, or says what it needs."""

import sys

_MISSING = "The command line needs Typer: pip install 'kimi-switch[cli]', or typer."


def main() -> int:
    """Run; 1 with a sentence where Typer is missing."""
    try:
        from control.cli.main import app  # noqa: PLC0415 - Typer may be missing
    except ModuleNotFoundError as error:
        if error.name != "typer":
            raise
        print(_MISSING, file=sys.stderr)  # noqa: T201 - it speaks to the terminal
        return 1
    app(prog_name="python -m control")
    return 0


if __name__ == "__main__":
    sys.exit(main())
