"""Look up the locked packages in the list of known vulnerabilities, by the pip-audit that is named, and list them.

It fails for a package that has a known vulnerability, and for one that could not be looked up, as where an index has no
list of them; with UNAUDITED=yes in the environment it names the latter and goes on. The list is build/sbom.json.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

AUDIT = ("--requirement", "requirements-dev.lock", "--require-hashes", "--disable-pip", "--format", "json")


def sbom(lock: str) -> dict[str, object]:
    """Return the packages of a lock file as CycloneDX."""
    components = [
        {"type": "library", "name": name, "version": version, "purl": f"pkg:pypi/{name}@{version}"}
        for name, version in re.findall(r"^([a-z0-9-]+)==([^ ]+)", lock, re.MULTILINE)
    ]
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "components": components}


def main() -> int:
    """Look up, print what was found, write the list, and return the exit status."""
    done = subprocess.run([sys.argv[1], *AUDIT], cwd=ROOT, check=False, capture_output=True, text=True)
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except ValueError:
        print(done.stderr)
        return 1
    known = [f"{each['name']} {each['version']}: {fault['id']}" for each in packages for fault in each.get("vulns", ())]
    absent = [each["name"] for each in packages if "skip_reason" in each]
    print("\n".join(known) or f"known vulnerabilities: none in the {len(packages) - len(absent)} packages looked up")
    if absent:
        print(f"not looked up, {len(absent)} of {len(packages)}: {', '.join(absent)}")
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    (ROOT / "build" / "sbom.json").write_text(json.dumps(sbom(lock), indent=1), encoding="utf-8")
    return 1 if known or (absent and os.environ.get("UNAUDITED") != "yes") else 0


if __name__ == "__main__":
    sys.exit(main())
