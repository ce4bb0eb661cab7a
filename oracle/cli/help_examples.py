"""The example with which the help of each command ends: lines for a shell, in any folder, that tests run."""

from __future__ import annotations

LOG = "--user user --time time --state zone"

EXAMPLE_LINES = {
    "leakage": "tploracle example msnbc |\n  tploracle leakage --forward - --epsilon 0.1 --steps 24",
    "supremum": "tploracle example moderate | tploracle supremum - --one-sided --epsilon 0.1",
    "composition": "tploracle example moderate |\n"
    "  tploracle composition --backward - --one-sided --epsilon 0.1 --steps 3",
    "profile": "tploracle profile --independent --sigma 5 --steps 10 --delta 1e-6",
    "attack": "tploracle example msnbc |\n  tploracle attack --forward - --epsilon 0.1 --steps 5",
    "audit": "tploracle example moderate | tploracle audit - --one-sided",
    "loss": "tploracle example moderate | tploracle loss - --alpha 1",
    "loss-function": "tploracle example moderate | tploracle loss-function -",
    "sparse": "tploracle example ring > ring.npz\ntploracle sparse ring.npz --epsilon 0.1 --steps 50",
    "allocate": "tploracle example moderate |\n  tploracle allocate --backward - --one-sided --alpha 1",
    "control": "tploracle example moderate | tploracle control - --cap 1 --spent 0.1",
    "spend": "tploracle example msnbc > counts.json\ntploracle spend ledger.db --init --forward counts.json --cap 1\n"
    "tploracle spend ledger.db --epsilon 0.05",
    "utility": "tploracle example moderate |\n  tploracle utility --backward - --one-sided --alpha 1 --steps 3",
    "population": "tploracle example commuters > visits.csv\n"
    f"tploracle population visits.csv {LOG} \\\n  --epsilon 0.1 --steps 3 --out rows",
    "example": "tploracle example commuters > visits.csv",
    "estimate": f"tploracle example commuters |\n  tploracle estimate - {LOG} --counts",
    "fit": "tploracle example habits | tploracle fit - --epsilon 0.3 --steps 4",
    "reverse": "tploracle example msnbc | tploracle reverse - --stationary",
    "smooth": "tploracle example strongest | tploracle smooth - --s 0.1",
    "uncertainty": "tploracle example habits |\n  tploracle uncertainty - --epsilon 0.1 --steps 3 --draws 5 --seed 1",
    "conform": "tploracle example usual-mistakes > usual_mistakes.py\n"
    "tploracle conform --tier smoke --no-search -k supremum \\\n  --python usual_mistakes.py:UsualMistakes",
    "crosscheck": "tploracle example moderate |\n  tploracle crosscheck - --alpha 1 --methods algorithm-1",
    "serve": """echo '{"seq":1,"op":"loss","input":{"alpha":"1","matrix":[["1"]]}}' |
  tploracle serve""",
    "vectors": "tploracle vectors list --op supremum",
    "vectors export": "tploracle vectors export vectors.zip",
    "vectors lint": "tploracle vectors lint",
    "vectors list": "tploracle vectors list --op supremum --tier smoke",
    "vectors show": "tploracle vectors show supremum-first-step-doubles-half",
    "verify": 'tploracle verify --claim "Theorem 5"',
    "certify": "tploracle example moderate | tploracle certify loss - --alpha 1",
    "check": "tploracle example moderate |\n"
    "  tploracle certify loss - --alpha 1 > loss.json\ntploracle check loss.json",
}
"""By the command's name; a line that ends in | or \\ goes on."""


def epilog(name: str) -> str:
    """Return the end of a command's help, as click lays it out."""
    lines = EXAMPLE_LINES[name].splitlines()
    return "\n".join(["\b", "Example:", *(f"  {line}" for line in lines)])
