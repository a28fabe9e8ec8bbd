// Which pages speak of these words, and where? Looks through PAGES (search-sections.js), and orders what it finds.
// Words are found in all their forms ("coalesced" by "coalescing", words.js), also within names of code ("hit rate" in
// `l1_hit_rate`); a "phrase" and a typed name as they are written. Of a question those words count that are rare, and
// chapters need not have all of them; of four words or more one may be missing. "cg::sync" is `sync`, whatever it is in. A line of a section's text is a paragraph, or a row of a table.
(() => {
  const SHOWN = { pages: 10, sections: 3, near: 3 }, EXCERPT = 220; // then what is folded; characters
  const ROW = / · (?<!\b\d+ · )/, WORTH = 1; // cells of a table, no chapter's number; what a sentence counts more than a row
  const SENTENCE = /(?<=[.!?]["'”’)\]]*)\s+(?=["'“‘(\[]*[\p{Lu}\d_])/u;
  const CODE = /^(?!.*::)(?:_|.*\w[._]\w)/; // what the package's pages explain; names of C++ are the chapters'
  const ASKING = new Set("a an and any are at be between but by can could do does each every for from get gets has have how i in is it many me mean means much my not of on one or other others per should so than that the then there these they this to use used using versus vs want was we what when where which who why will with would you your".split(" "));
  const field = document.querySelector(".search input"), status = document.querySelector(".search [role=status]"), found = document.querySelector(".search .found");
  const stemmer = new Stemmer(), escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

  /** A pattern in small and capital letters. No flag: where a name like `hitRate` comes apart, capitals tell. */
  const inAnyCase = (pattern) => pattern.replace(/\\p\{\w+\}|\\.|\[[^\]]*\]|[a-z]/gi, (each) => (each.length > 1 ? each : `[${each.toLowerCase()}${each.toUpperCase()}]`));
  /** What all forms of a word begin with, or one of its other forms; -ise and -ize are one. A name of code has no forms. */
  function stem(word) {
    if (/^\d{4,}$/.test(word)) return word.replace(/\d(?=(?:\d{3})+$)/g, "$&,?"); // 1,024
    if (!/^[a-z]+$/i.test(word)) return inAnyCase(escaped(word));
    const lower = word.toLowerCase(), stemmed = stemmer.stemWord(lower);
    let length = 0;
    while (length < stemmed.length && stemmed[length] === lower[length]) length++;
    const begins = stemmed.slice(0, length).replace(/(?<=[iy])[sz]$/, "(?:s|z)").replace(/(?<=\w{3})e$/, "(?:e|ing)"), others = WORDS.others(lower);
    return inAnyCase(others.length ? `(?:${begins}|(?:${others.join("|")})s?(?![a-z]))` : begins);
  }
  const BEGINS = "(?:(?<![\\p{L}\\p{N}])|(?<=\\p{Ll})(?=\\p{Lu}))", ENDS = "(?:[A-Z]{1,4}(?![a-z])|[a-z]{0,4})"; // of a word, or within a name
  /** At the beginning of a word, and up to its end; Chinese has no such signs. */
  const whole = (pattern) => new RegExp(/^[\w[(]/.test(pattern) ? `${BEGINS}${pattern}${ENDS}` : pattern, "gu");
  const BETWEEN = `${ENDS}(?:['’]s)?(?:[^\\p{L}\\p{N}]{1,3}|(?=\\p{Lu}))`;

  /** The patterns of a query: of each word or quoted phrase, and of all of them in a row. */
  function parsed(query) {
    const pieces = query.replace(/\bdifferences?(?=\s+between\b)/i, "").matchAll(/"([^"]+)"?|((?:[\p{L}\p{N}_.:]|(?<=\d),(?=\d{3})|(?<=\p{L})['’](?=\p{L}))+)/gu);
    const bare = (word) => word?.replace(/['’]s$|(?<=\d),/g, "").replace(/^(?:\w*::)+|^[_.:]+|[_.:]+$/g, "");
    const typed = [...pieces].map(([, phrase, word]) => ({ phrase: phrase?.trim(), word: bare(word) })).filter(({ phrase, word }) => phrase || word);
    const telling = typed.filter(({ word }) => !ASKING.has(word?.toLowerCase().replace(/(?<!ca)n?['’]\p{L}+$/u, ""))), words = telling.length ? telling : typed;
    const pattern = ({ phrase, word }) => (phrase ? inAnyCase(escaped(phrase)).replace(/\s+/g, "\\s+") : stem(word));
    const parts = words.map(pattern), inRow = typed.slice(typed.indexOf(words[0]), typed.indexOf(words.at(-1)) + 1).map(pattern);
    return { words, asks: telling.length < typed.length, each: parts.map(whole), row: whole(inRow.join(BETWEEN)), many: parts.length };
  }
  const count = (text, pattern) => text.match(pattern)?.length ?? 0;
  const share = (text, pattern) => 1 - text.replace(pattern, "").length / text.length;

  /** How much does a section say about it? And how many of the words has it? */
  function counted([anchor, title, prose, other, terms, weight], { each }) {
    const often = each.map((word) => 3 * count(title, word) + count(prose, word) + count(other, word) / 2 + count(terms.flat().join(" "), word));
    return { anchor, title, prose, other, terms, weight, often, words: often.filter(Boolean).length };
  }
  /** A term is named by all words together, or by one of them, the rarest. */
  function rated({ title, prose, terms, weight, often }, { each, row }, rare) {
    const named = 8 * share(title, row) + Math.max(0, ...terms.flat().flatMap((name) => [12 * share(name, row), ...each.map((word, place) => 9 * rare[place] ** 2 * share(name, word))]));
    return weight * often.reduce((sum, times, place) => sum + rare[place] * Math.log2(1 + times), 2 * Math.log2(1 + count(prose, row)) + named);
  }
  function search(query) {
    const asked = parsed(query);
    if (!asked.many) return { asked, pages: [] };
    const pages = PAGES.map(([address, title, weight, sections]) => ({ address, title, weight, sections: sections.map((section) => counted(section, asked)) }));
    const all = pages.flatMap(({ sections }) => sections), having = asked.each.map((_, place) => all.filter(({ often }) => often[place]).length);
    const rare = having.map((some) => Math.log2(1 + all.length / (1 + some))), rarest = Math.max(...rare);
    // what readers' pages have decides; those for instructors (their weight is 0) come after them
    const readers = pages.filter(({ weight }) => (asked.asks ? weight === 1 : weight)).flatMap(({ sections }) => sections);
    const most = Math.max(...readers.map(({ words }) => words)) || Math.max(1, ...all.map(({ words }) => words));
    const shares = rare.map((each) => each / rarest);
    for (const page of pages) {
      const having = page.sections.filter(({ words }) => words >= most - (asked.many > 3)), whole = having.reduce((sum, { prose }) => sum + count(prose, asked.row), 0);
      for (const section of having) section.score = rated(section, asked, shares);
      page.sections = having.sort((one, other) => other.score - one.score);
      // a page whose title has the words that tell most is meant, whatever it is
      const named = asked.each.reduce((sum, word, place) => sum + (count(page.title, word) ? rare[place] : 0), 0) / rare.reduce((sum, each) => sum + each, 0);
      const weight = CODE.test(query) ? 1 : Math.max(page.weight || 1, named > 0.7 ? 1 : 0);
      page.score = weight * ((page.sections[0]?.score ?? 0) + Math.log2(1 + whole) + (count(page.title, asked.row) ? 12 : 8) * (named > 0.7 ? named : 0));
    }
    const found = pages.filter(({ sections }) => sections.length).sort((one, other) => !one.weight - !other.weight || other.score - one.score);
    return { asked, rare: shares, most: Math.max(...all.map(({ words }) => words)), pages: found, nowhere: asked.words.filter(({ word }, place) => word && !having[place]).map(({ word }) => word) };
  }

  let known; // all words of the course, and how often it says them; those of its terms first
  /** What may have been meant by a word that is nowhere: the words of a name, else those that are spelt most like it. */
  function meant(word) {
    const parts = WORDS.parts(word);
    if (parts.length > 1) return [parts.join(" ")];
    if (!known) {
      known = new Map();
      const note = (text, worth) => WORDS.within(text).forEach((each) => known.set(each, (known.get(each) ?? 0) + worth));
      for (const [, , weight, sections] of PAGES) {
        for (const [, title, prose, , terms] of sections) [note(terms.flat().join(" "), 100), note(title, 10), note(prose, weight)];
      }
    }
    const alike = WORDS.nearest(word, known), forms = alike.map(stem);
    return alike.filter((_, place) => forms.indexOf(forms[place]) === place).slice(0, SHOWN.near);
  }

  function make(tag, ...children) {
    const made = document.createElement(tag);
    made.append(...children);
    return made;
  }
  function marked(text, { each, row }) {
    const all = new RegExp([row, ...each].map((pattern) => pattern.source).join("|"), "gu"), parts = [];
    let end = 0;
    for (const match of text.matchAll(all)) {
      parts.push(text.slice(end, match.index), make("mark", match[0]));
      end = match.index + match[0].length;
    }
    return [...parts, text.slice(end)];
  }
  /** The sentences of a section, the rows of its tables and its lines of code, with the line in which they stand. */
  function pieces({ prose, other }) {
    const of = (text, worth) => text.split("\n").filter(Boolean).flatMap((line) => {
      const row = ROW.test(line);
      let at = 0;
      return (worth && !row ? line.split(SENTENCE) : [line]).map((text) => ({ text, line, at: (at = line.indexOf(text, at)), worth: row ? 0 : worth }));
    });
    return [...of(prose, WORTH), ...of(other, 0)];
  }
  /** Of the terms that a section explains, those that are asked for by one of their names: how they are named, and which words of the query that are. */
  function named({ terms }, asked) {
    const has = asked.each.map((word) => (text) => count(text, word) > 0), all = (name) => name.split(/\s+/).filter((word) => !ASKING.has(word));
    return terms.map((names) => [names, names.filter((name) => all(name).every((word) => has.some((one) => one(word))))]).filter(([, those]) => those.length)
      .map(([names, those]) => ({ names: names.map((name) => whole(inAnyCase(escaped(name)))), has: has.map((one) => those.some(one)) }));
  }
  /** The sentence that has most of the words, or names a term that they mean, and before all the rare ones. It is better than a row or a line of code, and a section's first is better than others. */
  function excerpt(section, asked, rare) {
    const terms = named(section, asked), all = pieces(section);
    const value = ({ text, worth }, place) => {
      const means = terms.filter(({ names }) => names.some((name) => count(text, name)));
      const words = asked.each.map((word, at) => (count(text, word) || means.some(({ has }) => has[at]) ? rare[at] : 0)).reduce((sum, each) => sum + each);
      const first = worth && !place ? 0.25 : 0;
      return words ? words + worth + first + (count(text, asked.row) ? 0.5 : 0) + (worth && means.length ? 0.5 : 0) : first;
    };
    const values = all.map(value), best = all[values.indexOf(Math.max(...values))];
    if (!best) return "";
    const { line, text, at } = best, first = [asked.row, ...asked.each].map((pattern) => text.search(pattern)).find((place) => place >= 0) ?? 0;
    let from = at + (first < EXCERPT - 40 ? 0 : text.lastIndexOf(" ", first - EXCERPT / 2) + 1);
    // where little of the paragraph follows, the sentences before it are shown as well
    if (from === at) from = all.find((each) => each.line === line && each.at <= at && line.length - each.at <= EXCERPT)?.at ?? from;
    const to = line.length - from <= EXCERPT ? line.length : line.lastIndexOf(" ", from + EXCERPT);
    return make("p", from > at ? "… " : "", ...marked(line.slice(from, to), asked), to < line.length ? " …" : "");
  }
  function link(address, text, asked) {
    const made = make("a", ...marked(text, asked));
    made.href = address;
    return made;
  }
  function listed({ address, title, sections }, asked, rare) {
    const items = sections.slice(0, SHOWN.sections).map((section) =>
      make("li", ...(section.anchor ? [link(`${address}#${section.anchor}`, section.title, asked)] : []), excerpt(section, asked, rare)));
    return make("section", make("h2", link(address, title, asked)), make("ul", ...items));
  }
  function show(query) {
    const { asked, rare, most, pages, nowhere = [] } = search(query), [first, rest] = [pages.slice(0, SHOWN.pages), pages.slice(SHOWN.pages)].map((some) => some.map((page) => listed(page, asked, rare)));
    const partly = most < asked.many ? `No section has all ${asked.many} words. ` : "";
    status.textContent = !asked.many ? "" : pages.length ? `${partly}${pages.length} page${pages.length > 1 ? "s" : ""} found.` : "Nothing found. ";
    const near = nowhere.flatMap((word) => meant(word).map((other) => [word, other]));
    if (near.length) {
      const ways = near.map(([word, other]) => query.replace(word, other)).map((other) => link(`?q=${encodeURIComponent(other)}`, other, asked));
      status.append(" Did you mean ", ...ways.flatMap((way, place) => [place ? ", " : "", way]), "?");
    } else if (asked.many && !pages.length) status.append("Try fewer words, or the beginning of one.");
    found.replaceChildren(...first, ...(rest.length ? [make("details", make("summary", `${rest.length} more`), ...rest)] : []));
  }

  field.value = new URLSearchParams(location.search).get("q") ?? "";
  /** The address says what is asked, so that it can be kept, sent, and come back to. Browsers count how often it changes. */
  let later;
  function keep() {
    clearTimeout(later);
    history.replaceState(null, "", field.value ? `?q=${encodeURIComponent(field.value)}` : location.pathname);
  }
  field.addEventListener("input", () => {
    show(field.value);
    clearTimeout(later);
    later = setTimeout(keep, 300);
  });
  field.addEventListener("change", keep); // before a link is followed
  show(field.value);
})();
