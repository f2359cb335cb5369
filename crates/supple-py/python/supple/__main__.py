"""`python -m supple study study.toml`; all else is the command line of the `supple` program."""
from __future__ import annotations

import sys


def main() -> int:
    if sys.argv[1:2] == ["study"]:
        from ._study.command import main as study

        return study(sys.argv[2:])
    print("usage: python -m supple study FILE …", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
