// What the search of the site lists first: pages that answer a question, then reference, then what was printed or changed.
const FIRST = [["docs/howto/budget", 30], ["docs/howto/", 20], ["commands", 22], ["docs/tutorial", 20], ["docs/interpretation", 20], ["docs/profile", 18], ["docs/glossary", 16]];
const LAST = ["specification/", "CHANGELOG", "vectors/", "api/", "docs/claims", "docs/sentences", "docs/paper", "docs/mutation", "docs/releasing", "docs/property-tests"];
var Scorer = {
  score: ([page, , , , score]) => {
    const found = FIRST.find(([beginning]) => page.startsWith(beginning));
    if (found) return score + found[1];
    return LAST.some((beginning) => page.startsWith(beginning)) ? score - 20 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
