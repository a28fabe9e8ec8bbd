// Which forms has a word, where does a name of code come apart, and which word was meant? One rule for the search
// (search.js) and for the fields above long tables (filter.js).
const WORDS = (() => {
  // the endings of singulars and plurals that have more than an s
  const ENDINGS = [["ix", "ices"], ["ex", "ices"], ["is", "es"], ["f", "ves"], ["fe", "ves"], ["um", "a"], ["on", "a"], ["us", "i"]];
  const IRREGULAR = ["child children", "begin began begun", "break broke broken", "choose chose chosen", "hide hid hidden", "hold held", "keep kept", "leave left", "lose lost", "overwrite overwrote overwritten", "run ran", "wake woke woken", "write wrote written"].map((forms) => forms.split(" "));

  /** Other forms of a word that begin or end unlike it: "matrix" of "matrices". Some of them are no words. */
  function others(word) {
    const plurals = ENDINGS.flatMap((pair) => [pair, [pair[1], pair[0]]]).filter(([from]) => word.length > from.length + 2 && word.endsWith(from));
    const listed = IRREGULAR.find((forms) => forms.includes(word)) ?? [];
    return [...plurals.map(([from, to]) => word.slice(0, -from.length) + to), ...listed.filter((form) => form !== word)];
  }
  /** The words within a name of code: "l1", "hit" and "rate" of `l1_hit_rate`, "block" and "idx" of `blockIdx`. */
  const parts = (name) => name.split(/[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u).filter(Boolean);

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
  /** The words of a text, in which a misspelt one may be meant. */
  const within = (text) => text.toLowerCase().match(/\p{L}{3,}/gu) ?? [];
  const bare = (word) => word.replace(/(?<=\p{L}{4})(?:ing|ed|e?s|e)$/u, ""); // "coales" is near to "coalesc", not "coalesing" to "coalesced"
  /** Those of the known words (word -> how often) that are nearest to a misspelt one, the most frequent first. */
  function nearest(word, known) {
    const asked = word.toLowerCase(), far = asked.length < 5 ? 1 : 2;
    const distance = (each) => Math.min(apart(asked, each), apart(bare(asked), bare(each)) + 0.5) + (each[0] !== asked[0]) / 2;
    const near = [...known].map(([each, often]) => [each, distance(each), often])
      .filter(([, distance]) => distance <= far).sort((one, other) => one[1] - other[1] || other[2] - one[2]);
    return near.filter(([, distance]) => distance === near[0][1]).map(([each]) => each);
  }
  return { others, parts, nearest, within };
})();
