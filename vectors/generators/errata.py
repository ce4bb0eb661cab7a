"""The errata of the paper that no vector can show, each with the reason. Of the others some case says that it does."""

from __future__ import annotations

SAME_NUMBER = (
    "What is wrong is what the number means; the contract asks for the number of the formula, which is the same."
)

NOT_SHOWN = {
    "E1": f"{SAME_NUMBER} The witnesses are among the cases, with the recursions' values (flag NotAttained).",
    "E13": "No operation has several users: the greatest over users is for the caller to take.",
    "E15": "A step of a proof; the theorem is true, and no algorithm has the step.",
    "E16": "A lemma of a proof about a program in x; no operation takes x or m.",
    "E17": "A missing condition, D > 0, which every program of the paper meets.",
    "E18": "An argument for the existence of an optimum that does exist.",
    "E19": "A step of a proof about lines that are not reached; the value for equal rows is right (flag EqualRows).",
    "E20": "A remark about a point in a figure; the loss function of Example 4 is among the cases.",
    "E21": "An index in an example of the notation, which no algorithm reads.",
    "E22": "Any two matrices may be asked together; no operation asks whether one chain has both.",
    "E23": "Slips in definitions and in the table of notation, which no operation takes as input.",
    "E24": f"{SAME_NUMBER} A witness is among the cases of composition (flag NotAttained).",
    "E25": "A step of a proof about the outputs of mechanisms; no operation takes a mechanism.",
    "E26": "How long the algorithms take; a vector says what is answered, not how soon.",
    "E31": "A domain that is larger than needed gives the same function, and the rest is the name of a figure.",
    "E32": "Sentences about experiments: numbers of time steps that no operation returns.",
    "E33": f"{SAME_NUMBER} With BPL and FPL as defined, which take a mechanism, it would be unsafe.",
    "E35": "The calls cannot be run as printed; read as the pieces of L they give the right budgets.",
}
"""Why no vector can show it, by erratum."""
