// Which pages speak of these words, and where? Looks through PAGES (search-sections.js), and orders what it finds.
// Words are found in all their forms ("coalesced" by "coalescing", words.js), also within names of code ("hit rate" in
// `l1_hit_rate`); a "phrase" and a typed name as they are written. Of a question those words count that are rare, and
// chapters need not have all of them; of four words or more one may be missing. "cg::sync" is `sync`, whatever it is in. A line of a section's text is a paragraph, or a row of a table.
// A page that defines a name, by a heading or in the first cell of a row, comes before those that mention it.
(() => {
  const SHOWN = { pages: 10, sections: 3, near: 3 }, EXCERPT = 220; // then what is folded; characters
  const ROW = / · (?<!\b\d+ · )/, WORTH = 1; // cells of a table, no chapter's number; what a sentence counts more than a row
  const SENTENCE = /(?<=[.!?]["'”’)\]]*)\s+(?=["'“‘(\[]*[\p{Lu}\d_])/u;
  const CODE = /^(?!.*::)(?:_|.*\w[._]\w)/; // what the package's pages explain; names of C++ are the chapters'
  const ASKING = new Set("a an and any are at be between but by can compute computed could define definition do does each equation every example explain explained explanation for formula from get gets has have how i in is it many me mean means much my not of on one or other others per should so than that the then there these they this to use used using versus vs want was we what when where which who why will with would you your".split(" "));
  const NAME = /^(?!__).*(?:[._]\w|\p{Ll}\p{Lu}|\p{Lu}\d)/u, API = 0.3; // the weight of the package's pages
  const MODULES = /^(?:(?:gpusim|numba|cuda|cudart|errors)\.)+/; // `grid` of `cuda.grid`
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
    const alone = (word) => word?.replace(/['’]s$|(?<=\d),/g, "").replace(/^(?:\w*::)+|^[_.:]+|[_.:]+$/g, "");
    const typed = [...pieces].map(([, phrase, word]) => ({ phrase: phrase?.trim(), word: alone(word), name: NAME.test(word) && !query.includes("::") ? alone(word) : "" })).filter(({ phrase, word }) => phrase || word);
    const telling = typed.filter(({ word }) => !ASKING.has(word?.toLowerCase().replace(/(?<!ca)n?['’]\p{L}+$/u, ""))), words = telling.length ? telling : typed;
    const pattern = ({ phrase, word }) => (phrase ? inAnyCase(escaped(phrase)).replace(/\s+/g, "\\s+") : stem(word));
    const parts = words.map(pattern), inRow = typed.slice(typed.indexOf(words[0]), typed.indexOf(words.at(-1)) + 1).map(pattern);
    const names = words.map(({ name }) => name), said = words.map(({ word, phrase }) => word ?? phrase).join(" ");
    return { words, names, said, asks: telling.length < typed.length, each: parts.map(whole), row: whole(inRow.join(BETWEEN)), many: parts.length };
  }
  /** The names in the first cell of a row, or in all cells above the columns. */
  function ofRow(line) {
    const cells = !ROW.test(line) ? [] : line.startsWith("· ") ? line.slice(2).split(ROW) : [line.split(ROW)[0]];
    return cells.map((cell) => cell.replace(/\(.*?\)/g, "")).filter((cell) => /^[\p{L}\p{N}\s.,:…+/_]+$/u.test(cell)).flatMap((cell) => cell.split(/[\s,]+/));
  }
  /** The names that a section defines: its title; in reference also what begins a row or heads a column, for chapters' rows are results. */
  function defined([, title, prose, other, , weight], reference) {
    const rows = reference && weight === 1 ? `${prose}\n${other}`.split("\n") : [];
    return [...(/\s/.test(title) ? [] : [[title, 1]]), ...rows.flatMap(ofRow).map((name) => [name, 0.8])];
  }
  /** How surely is this the name that is asked for? Classes may be left out, and by the package's pages its modules; a metric's name may go on. */
  function same(name, asked, api) {
    const [one, other, within] = [name, asked, asked.replace(MODULES, "")].map((each) => each.toLowerCase());
    if (`.${one}`.endsWith(`.${other}`)) return 1;
    if (one === within) return api ? 1 : NAME.test(name) ? 0.9 : 0;
    return one.startsWith(`${other}.`) ? 0.9 : one.startsWith(`${other}_`) ? 0.5 : 0;
  }
  const count = (text, pattern) => text.match(pattern)?.length ?? 0;
  const share = (text, pattern) => 1 - text.replace(pattern, "").length / text.length;

  const NAMES = new Map(); // section -> names that it defines; read once
  /** How much does a section say about it? And how many of the words has it? The other names of a term count for its words. */
  function counted(section, { each, names, also }, page) {
    const [anchor, title, prose, other, terms, weight] = section, called = also ? count(prose, also) / 2 : 0;
    if (!NAMES.has(section) && names.some(Boolean)) NAMES.set(section, defined(section, page > 0 && page < 1));
    const defines = names.map((asked) => (asked ? Math.max(0, ...NAMES.get(section).map(([name, worth]) => worth * same(name, asked, page === API))) : 0));
    const often = each.map((word) => 3 * count(title, word) + count(prose, word) + count(other, word) / 2 + count(terms.flat().join(" "), word));
    const all = often.map((times, place) => Math.max(times, called, defines[place]));
    return { anchor, title, prose, other, terms, weight, defines, often: all, words: all.filter(Boolean).length };
  }
  /** What else a term is called that is all that is asked for: a pattern of its other names. */
  function others(asked) {
    const is = (name) => name.replace(/\W+/g, " ").toLowerCase() === asked.said.replace(/\W+/g, " ").toLowerCase();
    const meant = PAGES.flatMap(([, , , sections]) => sections.flatMap(([, , , , terms]) => terms.filter((names) => names.some(is))));
    const names = meant.length === 1 ? meant[0].filter((name) => !is(name) && name.length > 3).map((name) => inAnyCase(escaped(name)).replace(/\s+/g, "\\s+")) : [];
    return names.length ? whole(`(?:${names.join("|")})`) : null;
  }
  /** A term is named by all words together, or by one of them, the rarest. */
  function rated({ title, prose, terms, weight, often, defines }, { each, row }, rare) {
    const named = 8 * share(title, row) + Math.max(0, ...terms.flat().flatMap((name) => [12 * share(name, row), ...each.map((word, place) => 9 * rare[place] ** 2 * share(name, word))]));
    const entry = defines.reduce((sum, surely, place) => sum + 12 * rare[place] * surely, 0) / each.length;
    return weight * often.reduce((sum, times, place) => sum + rare[place] * Math.log2(1 + times), entry + 2 * Math.log2(1 + count(prose, row)) + named);
  }
  function search(query) {
    const asked = parsed(query);
    if (!asked.many) return { asked, pages: [] };
    asked.also = others(asked);
    const pages = PAGES.map(([address, title, weight, sections]) => ({ address, title, weight, sections: sections.map((section) => counted(section, asked, weight)) }));
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
      const entry = having.some(({ defines }) => defines.some((surely) => surely > 0.7));
      const weight = CODE.test(query) || entry ? 1 : Math.max(page.weight || 1, named > 0.7 ? 1 : 0);
      page.score = weight * ((page.sections[0]?.score ?? 0) + Math.log2(1 + whole) + (count(page.title, asked.row) ? 12 : 8) * (named > 0.7 ? named : 0));
    }
    const found = pages.filter(({ sections }) => sections.length).sort((one, other) => !one.weight - !other.weight || other.score - one.score);
    return { asked, rare: shares, most: Math.max(...all.map(({ words }) => words)), pages: found, nowhere: asked.words.filter(({ word }, place) => word && !having[place]).map(({ word }) => word) };
  }

  let known, names; // all words of the course, and how often it says them, those of its terms first; its names of code
  function read() {
    [known, names] = [new Map(), new Map()];
    const note = (text, worth) => WORDS.within(text).forEach((each) => known.set(each, (known.get(each) ?? 0) + worth));
    for (const [, , weight, sections] of PAGES) {
      for (const [, title, prose, other, terms] of sections) {
        [note(terms.flat().join(" "), 100), note(title, 10), note(prose, weight)];
        for (const [name] of `${title}\n${prose}\n${other}`.matchAll(/[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*/gu)) if (NAME.test(name)) names.set(name, (names.get(name) ?? 0) + 1);
      }
    }
  }
  /** What may have been meant by a word that is nowhere: a name that is written otherwise, the words of a name where a section has them all, else those that are spelt most like it. */
  function meant(word) {
    if (!known) read();
    if (NAME.test(word)) {
      const like = WORDS.nearest(WORDS.parts(word).join(""), new Map([...names].map(([name, often]) => [WORDS.parts(name).join("").toLowerCase(), often])));
      const parts = WORDS.parts(word).join(" "), written = [...names.keys()].filter((name) => like.includes(WORDS.parts(name).join("").toLowerCase()));
      if (written.length || !/^[\p{Ll}\d._]+$/u.test(word)) return written.slice(0, 1); // a class and a constant are no words in a row
      const { most, asked } = search(parts);
      return most === asked.many ? [parts] : [];
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
  /** The sentence that has most of the words, or names a term that they mean, and before all the rare ones. It is better than a row or a line of code, and a section's first is better than others; best is the row that defines a name. */
  function excerpt(section, asked, rare) {
    const terms = named(section, asked), all = pieces(section);
    const defines = section.defines.some(Boolean) ? (line) => ofRow(line).some((name) => asked.names.some((each) => each && same(name, each, true) > 0.7)) : () => false;
    const value = ({ text, line, worth }, place) => {
      const means = terms.filter(({ names }) => names.some((name) => count(text, name)));
      const words = asked.each.map((word, at) => (count(text, word) || means.some(({ has }) => has[at]) ? rare[at] : 0)).reduce((sum, each) => sum + each);
      const first = worth && !place ? 0.25 : 0;
      if (defines(line)) return words + 3;
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
  /** What was asked, with what is likely meant by words that are nowhere; and what else may be. */
  function corrected(query) {
    const as = search(query), near = (as.nowhere ?? []).map((word) => [word, meant(word)]).filter(([, others]) => others.length);
    const instead = near.reduce((text, [word, [first]]) => text.replace(word, first), query);
    const others = near.flatMap(([word, [, ...rest]]) => rest.map((other) => query.replace(word, other)));
    return { instead, others, missing: near.map(([word]) => word), found: near.length ? search(instead) : as };
  }
  function show(query) {
    const { instead, others, missing, found: { asked, rare, most, pages } } = corrected(query);
    const [first, rest] = [pages.slice(0, SHOWN.pages), pages.slice(SHOWN.pages)].map((some) => some.map((page) => listed(page, asked, rare)));
    const ways = [instead, ...others].map((other) => link(`?q=${encodeURIComponent(other)}`, other, asked));
    const partly = most < asked.many ? `No section has all ${asked.many} words. ` : "", many = `${pages.length} page${pages.length > 1 ? "s" : ""} found`;
    if (!asked.many) status.replaceChildren();
    else if (missing.length) status.replaceChildren(`Nothing found for ${missing.map((word) => `“${word}”`).join(", ")}. ${partly}${many} for `, ...ways.flatMap((way, place) => [place > 1 ? ", " : place ? ". Or did you mean " : "", way]), others.length ? "?" : ".");
    else status.replaceChildren(pages.length ? `${partly}${many}.` : "Nothing found. Try fewer words, or the beginning of one.");
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
