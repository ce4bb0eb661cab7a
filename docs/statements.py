"""The statements of statements.toml, in the pages and in the article: written by `python docs/statements.py`."""

import re
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
READ = tomllib.loads((HERE / "statements.toml").read_text(encoding="utf-8"))
HYPOTHESES, STATEMENTS = READ["hypotheses"], {one["id"]: one for one in READ["statement"]}
ARTICLE = HERE / "paper" / "statements.tex"
PAGES = sorted({page for one in READ["statement"] for page in one["pages"]} - {"article"})


def hypotheses(statement):
    """Return the hypotheses of a statement, in words."""
    return [HYPOTHESES[name] for name in statement["under"]]


def proved(statement):
    """Return what is proved of a statement by machine, and what by hand alone."""
    by_machine = ", ".join(f"`{name}`" for name in statement["rocq"]) or "nothing"
    return f"*Proved by machine*: {by_machine}. *By hand alone*: {statement['hand'] or 'nothing'}."


def referred(text, name):
    """Return a text with its references to statements, @id, as `name` has them."""
    return re.sub(r"@(\w+)", lambda found: name(STATEMENTS[found[1]]), text)


def markdown(statement):
    """Return what stands of a statement on a page."""

    def named(other):
        numbered = other["label"][-1].isdigit()
        return other["label"] if numbered else f"{other['label']} ({other['title']})"

    under = "".join(f"- {one}\n" for one in hypotheses(statement))
    heading = f"**{statement['label']} ({statement['title']}).** Under the hypotheses"
    return f"{heading}\n\n{under}\n{referred(statement['says'].strip(), named)}\n\n{proved(statement)}\n"


def page(name):
    """Return a page with its statements written anew."""
    text = (HERE / name).read_text(encoding="utf-8")
    for statement in STATEMENTS.values():
        if name in statement["pages"]:
            start, end = (f"<!-- {mark}statement: {statement['id']} -->\n" for mark in ("", "/"))
            head, opened, rest = text.partition(start)
            _, closed, tail = rest.partition(end)
            if not (opened and closed):
                raise SystemExit(f"docs/{name} has no place for the statement {statement['id']}: {start}{end}")
            text = f"{head}{start}\n{markdown(statement)}\n{end}{tail}"
    return text


def latex(text):
    """Return Markdown of statements as LaTeX."""
    text = re.sub(r"\$\$(.+?)\$\$", r"\\[\1\\]", text, flags=re.DOTALL)
    text = re.sub(r"\*\*(.+?)\*\*", r"\\emph{\1}", text)
    text = re.sub(r"\n\n(?=\\\[)", "\n", text)
    return re.sub(r"(?<=\\\])\n\n", "\n", text)


def theorem(statement):
    """Return a statement as the article has it: a command that sets it."""
    kind = statement["label"].split()[0].lower()
    says = latex(
        referred(statement["says"].strip(), lambda other: f"{other['label'].split()[0]}~\\ref{{th:{other['id']}}}")
    )
    under = " ".join(map(latex, hypotheses(statement)))
    return (
        f"\\newcommand{{\\Statement{statement['id'].capitalize()}}}{{%\n"
        f"\\begin{{{kind}}}[{statement['title']}]\\label{{th:{statement['id']}}}\n"
        f"\\emph{{Hypotheses.}} {under}\n\n\\noindent {says}\n\\end{{{kind}}}}}\n"
    )


def table():
    """Return the article's table of what is proved how, in the article's order."""
    rows, text = "", (HERE / "paper" / "article.tex").read_text(encoding="utf-8")
    own = [one for one in STATEMENTS.values() if "article" in one["pages"]]
    for one in sorted(own, key=lambda one: text.index(f"\\Statement{one['id'].capitalize()}\n")):
        machine = ", ".join(f"\\texttt{{{name}}}" for name in one["rocq"]).replace("_", "\\_\\allowbreak{}") or "---"
        kind = one["label"].split()[0]
        rows += f"{kind}~\\ref{{th:{one['id']}}} ({one['title']}) & {machine} & {latex(one['hand']) or '---'}\\\\\n"
    return f"\\newcommand{{\\ProvedHow}}{{%\n{rows}}}\n"


def article():
    """Return the file of the article's statements."""
    own = (theorem(one) for one in STATEMENTS.values() if "article" in one["pages"])
    return "% Written by python docs/statements.py\n" + "".join(own) + table()


if __name__ == "__main__":
    for name in PAGES:
        (HERE / name).write_text(page(name), encoding="utf-8")
    ARTICLE.write_text(article(), encoding="utf-8")
