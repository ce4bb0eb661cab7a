"""`python -m tploracle` is the command line."""

import sys
from pathlib import Path

if not sys.flags.safe_path and not Path(__file__).is_relative_to(Path.cwd()):
    del sys.path[0]  # the current folder: nothing is imported from where one stands

from .cli.main import main

if __name__ == "__main__":
    main()
