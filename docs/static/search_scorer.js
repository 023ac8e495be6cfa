// Orders what a search finds: titles first, then pages for users before records, notes and pages for developers.
var Scorer = {
  score: (result) => {
    const [page, , , , score] = result;
    const later = [/^notebook\//, /^development\//, /^results\//, /^architecture$/, /^speed$/, /^claims$/, /^reference\//];
    return later.some((places) => places.test(page)) ? score / 4 : score;
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
