// Which pages speak of these words, and where? Looks through PAGES (search-sections.js), and orders what it finds.
// Words are found in all their forms ("coalesced" by "coalescing"), a "phrase" and names of code as they are written;
// of a question those count that are rare, and chapters need not have all of them. "cg::sync" is `sync`, whatever it is in. A line of a section's text is a paragraph, or a row of a table.
(() => {
  const SHOWN = { pages: 10, sections: 3, near: 3 }, EXCERPT = 220; // then what is folded; characters
  const CODE = /^(?!.*::)(?:_|.*\w[._]\w)/; // what the package's pages explain; names of C++ are the chapters'
  const ASKING = new Set(["a", "an", "and", "are", "at", "between", "can", "do", "does", "for", "from", "how", "i", "in", "is", "it", "my", "not", "of", "on", "or", "so", "that", "the", "this", "to", "versus", "vs", "what", "when", "where", "which", "who", "why", "with"]);
  const field = document.querySelector(".search input"), status = document.querySelector(".search [role=status]"), found = document.querySelector(".search .found");
  const stemmer = new Stemmer(), escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

  /** What all forms of a word begin with; -ise and -ize are one. A name of code has no forms. */
  function stem(word) {
    if (!/^[a-z]+$/i.test(word)) return escaped(word);
    const stemmed = stemmer.stemWord(word.toLowerCase());
    let length = 0;
    while (length < stemmed.length && stemmed[length] === word[length].toLowerCase()) length++;
    return stemmed.slice(0, length).replace(/(?<=[iy])[sz]$/, "[sz]");
  }
  /** At the beginning of a word, and up to its end; Chinese has no such signs. */
  const whole = (pattern) => new RegExp(/^[\w[]/.test(pattern) ? `(?<![\\p{L}\\p{N}_])_*${pattern}[a-z]{0,4}` : pattern, "giu");

  /** The patterns of a query: of each word or quoted phrase, and of all of them in a row. */
  function parsed(query) {
    const typed = [...query.matchAll(/"([^"]+)"?|([\p{L}\p{N}_.:]+)/gu)].map(([, phrase, word]) => ({ phrase: phrase?.trim(), word: word?.replace(/^(?:\w*::)+|^[_.:]+|[_.:]+$/g, "") })).filter(({ phrase, word }) => phrase || word);
    const telling = typed.filter(({ word }) => !ASKING.has(word?.toLowerCase())), words = telling.length ? telling : typed;
    const pattern = ({ phrase, word }) => (phrase ? escaped(phrase).replace(/\s+/g, "\\s+") : stem(word));
    const parts = words.map(pattern), inRow = typed.slice(typed.indexOf(words[0]), typed.indexOf(words.at(-1)) + 1).map(pattern);
    return { words, asks: telling.length < typed.length, each: parts.map(whole), row: whole(inRow.join("[a-z]{0,4}[^\\p{L}\\p{N}]{1,3}")), many: parts.length };
  }
  const count = (text, pattern) => text.match(pattern)?.length ?? 0;
  const share = (text, pattern) => 1 - text.replace(pattern, "").length / text.length;

  /** How much does a section say about it? And how many of the words has it? */
  function counted([anchor, title, prose, other, terms, weight], { each }) {
    const often = each.map((word) => 3 * count(title, word) + count(prose, word) + count(other, word) / 2 + count(terms.join(" "), word));
    return { anchor, title, prose, other, terms, weight, often, words: often.filter(Boolean).length };
  }
  /** A term is named by all words together, or by one of them, the rarest. */
  function rated({ title, prose, terms, weight, often }, { each, row }, rare) {
    const named = 8 * share(title, row) + Math.max(0, ...terms.flatMap((name) => [12 * share(name, row), ...each.map((word, place) => 9 * rare[place] ** 2 * share(name, word))]));
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
    for (const section of all) section.score = rated(section, asked, rare.map((each) => each / rarest));
    for (const page of pages) {
      const whole = page.sections.reduce((sum, { prose }) => sum + count(prose, asked.row), 0);
      page.sections = page.sections.filter(({ words }) => words >= most).sort((one, other) => other.score - one.score);
      // a page whose title has the words that tell most is meant, whatever it is
      const named = asked.each.reduce((sum, word, place) => sum + (count(page.title, word) ? rare[place] : 0), 0) / rare.reduce((sum, each) => sum + each, 0);
      const weight = CODE.test(query) ? 1 : Math.max(page.weight || 1, named > 0.7 ? 1 : 0);
      page.score = weight * ((page.sections[0]?.score ?? 0) + Math.log2(1 + whole) + (count(page.title, asked.row) ? 12 : 8) * (named > 0.7 ? named : 0));
    }
    const found = pages.filter(({ sections }) => sections.length).sort((one, other) => !one.weight - !other.weight || other.score - one.score);
    return { asked, most: Math.max(...all.map(({ words }) => words)), pages: found, nowhere: asked.words.filter(({ word }, place) => word && !having[place]).map(({ word }) => word) };
  }

  /** How many letters are wrong, missing, too many, or change places? */
  function apart(one, other) {
    let before, last = [], row = Array.from({ length: other.length + 1 }, (_, at) => at);
    for (let from = 1; from <= one.length; from++) {
      [before, last, row] = [last, row, [from]];
      for (let to = 1; to <= other.length; to++) {
        const same = one[from - 1] === other[to - 1], turned = one[from - 1] === other[to - 2] && one[from - 2] === other[to - 1];
        row[to] = Math.min(last[to] + 1, row[to - 1] + 1, last[to - 1] + !same, turned && from > 1 ? before[to - 2] + 1 : Infinity);
      }
    }
    return row[other.length];
  }
  let known; // all words of the course, and how often it says them; those of its terms first
  function nearest(word) {
    if (!known) {
      known = new Map();
      const note = (text, worth) => text.toLowerCase().match(/\p{L}{3,}/gu)?.forEach((each) => known.set(each, (known.get(each) ?? 0) + worth));
      for (const [, , weight, sections] of PAGES) {
        for (const [, title, prose, , terms] of sections) [note(terms.join(" "), 100), note(title, 10), note(prose, weight)];
      }
    }
    const asked = word.toLowerCase(), far = asked.length < 5 ? 1 : 2;
    const near = [...known].map(([each, often]) => [each, apart(asked, each) + (each[0] !== asked[0]) / 2, often])
      .filter(([, distance]) => distance <= far).sort((one, other) => one[1] - other[1] || other[2] - one[2]);
    const alike = near.filter(([, distance]) => distance === near[0][1]).map(([each]) => each), forms = alike.map(stem);
    return alike.filter((_, place) => forms.indexOf(forms[place]) === place).slice(0, SHOWN.near);
  }

  function make(tag, ...children) {
    const made = document.createElement(tag);
    made.append(...children);
    return made;
  }
  function marked(text, { each, row }) {
    const all = new RegExp([row, ...each].map((pattern) => pattern.source).join("|"), "giu"), parts = [];
    let end = 0;
    for (const match of text.matchAll(all)) {
      parts.push(text.slice(end, match.index), make("mark", match[0]));
      end = match.index + match[0].length;
    }
    return [...parts, text.slice(end)];
  }
  /** The piece of a section's line in which the words first stand together, else most of them. */
  function excerpt({ prose, other, terms }, asked) {
    const lines = `${prose}\n${other}`.split("\n"), explains = terms.map((name) => whole(escaped(name)));
    const having = lines.map((line) => asked.each.filter((word) => count(line, word)).length + 1.5 * explains.some((name) => count(line, name)));
    const text = lines.find((line) => count(line, asked.row)) ?? lines[having.indexOf(Math.max(...having))];
    const at = Math.max(0, [asked.row, ...asked.each].map((pattern) => text.search(pattern)).find((place) => place >= 0) ?? 0);
    const from = at < EXCERPT / 2 ? 0 : text.indexOf(" ", at - EXCERPT / 2) + 1, to = text.length - from <= EXCERPT ? text.length : text.lastIndexOf(" ", from + EXCERPT);
    return make("p", from ? "… " : "", ...marked(text.slice(from, to), asked), to < text.length ? " …" : "");
  }
  function link(address, text, asked) {
    const made = make("a", ...marked(text, asked));
    made.href = address;
    return made;
  }
  function listed({ address, title, sections }, asked) {
    const items = sections.slice(0, SHOWN.sections).map((section) =>
      make("li", ...(section.anchor ? [link(`${address}#${section.anchor}`, section.title, asked)] : []), excerpt(section, asked)));
    return make("section", make("h2", link(address, title, asked)), make("ul", ...items));
  }
  function show(query) {
    const { asked, most, pages, nowhere = [] } = search(query), [first, rest] = [pages.slice(0, SHOWN.pages), pages.slice(SHOWN.pages)].map((some) => some.map((page) => listed(page, asked)));
    const partly = most < asked.many ? `No section has all ${asked.many} words. ` : "";
    status.textContent = !asked.many ? "" : pages.length ? `${partly}${pages.length} page${pages.length > 1 ? "s" : ""} found.` : "Nothing found. ";
    const near = nowhere.flatMap((word) => nearest(word).map((other) => [word, other]));
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
