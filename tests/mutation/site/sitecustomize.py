"""Has modules imported with other code: here, and in the programs that a test starts."""

import marshal
import os
from importlib.machinery import SourceFileLoader
from pathlib import Path

if "TPLORACLE_CHANGED" in os.environ:
    codes = marshal.loads(Path(os.environ["TPLORACLE_CHANGED"]).read_bytes())
    original = SourceFileLoader.get_code

    def get_code(loader, fullname, codes=codes, original=original):
        code = codes.get(loader.get_filename(fullname))
        return original(loader, fullname) if code is None else code

    SourceFileLoader.get_code = get_code
