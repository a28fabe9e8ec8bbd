// Which pages speak of these words, and where? Looks through PAGES (search-sections.js), and orders what it finds.
// Words are found in all their forms ("coalesced" by "coalescing"), a "phrase" and names of code as they are written.
(() => {
  const SHOWN = { pages: 10, sections: 3 }, EXCERPT = 220; // then what is folded; characters
  const CODE = /\w[._]\w|^_/; // what the package's pages explain
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
    const parts = [...query.matchAll(/"([^"]+)"?|([\p{L}\p{N}_.:]+)/gu)].map(([, phrase, word]) =>
      phrase ? escaped(phrase.trim()).replace(/\s+/g, "\\s+") : stem(word.replace(/^[_.:]+|[_.:]+$/g, ""))).filter(Boolean);
    return { each: parts.map(whole), row: whole(parts.join("[a-z]{0,4}[^\\p{L}\\p{N}]{1,3}")), many: parts.length };
  }
  const count = (text, pattern) => text.match(pattern)?.length ?? 0;
  const share = (text, pattern) => 1 - text.replace(pattern, "").length / text.length;

  /** How much does a section say about it? And how many of the words has it? */
  function rated([anchor, title, prose, other, terms, weight], { each, row }) {
    const often = each.map((word) => 3 * count(title, word) + count(prose, word) + count(other, word) / 2 + count(terms.join(" "), word));
    const named = 8 * share(title, row) + 12 * Math.max(0, ...terms.map((name) => share(name, row)));
    const score = often.reduce((sum, times) => sum + Math.log2(1 + times), 2 * Math.log2(1 + count(prose, row)) + named);
    return { anchor, title, prose, other, score: weight * score, words: often.filter(Boolean).length };
  }
  function search(query) {
    const asked = parsed(query);
    if (!asked.many) return { asked, pages: [] };
    const rate = ([address, title, weight, sections]) => ({ address, title, weight, sections: sections.map((section) => rated(section, asked)) });
    const pages = PAGES.map(rate), most = Math.max(1, ...pages.flatMap(({ sections }) => sections.map(({ words }) => words)));
    for (const page of pages) {
      const whole = page.sections.reduce((sum, { prose }) => sum + count(prose, asked.row), 0);
      page.sections = page.sections.filter(({ words }) => words === most).sort((one, other) => other.score - one.score);
      const named = asked.each.every((word) => count(page.title, word));
      page.score = (CODE.test(query) ? 1 : page.weight) * ((page.sections[0]?.score ?? 0) + Math.log2(1 + whole) + (count(page.title, asked.row) ? 12 : 8) * named);
    }
    return { asked, most, pages: pages.filter(({ sections }) => sections.length).sort((one, other) => other.score - one.score) };
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
  /** The piece of a section in which the words first stand together, else the first of them. */
  function excerpt({ prose, other }, asked) {
    const places = [asked.row, ...asked.each].flatMap((pattern) => [prose, other].map((text) => [text, text.search(pattern)]));
    const [text, at] = places.find(([, place]) => place >= 0) ?? [prose || other, 0];
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
    const { asked, most, pages } = search(query), [first, rest] = [pages.slice(0, SHOWN.pages), pages.slice(SHOWN.pages)].map((some) => some.map((page) => listed(page, asked)));
    const partly = most < asked.many ? `No section has all ${asked.many} words. ` : "";
    status.textContent = !asked.many ? "" : pages.length ? `${partly}${pages.length} page${pages.length > 1 ? "s" : ""} found.` : "Nothing found. Try fewer words, or the beginning of one.";
    found.replaceChildren(...first, ...(rest.length ? [make("details", make("summary", `${rest.length} more`), ...rest)] : []));
  }

  field.value = new URLSearchParams(location.search).get("q") ?? "";
  field.addEventListener("input", () => show(field.value));
  show(field.value);
})();
