// A change that travels in a link: `#edit=` and JSON in base64. A fragment never leaves the browser.
import { onlyTexts } from "./edits.js";

const MARK = "#edit=";
// as build.py names cells, cells.js what is typed into what they show, and edits.js what was put aside
const NAME = /^[0-9a-f]{12}(-[0-9]+)?(, playground( [0-9]+)?)?(, own [0-9]+)*$/;
const MOST_LETTERS = 400_000, MOST_NAMES = 100; // what a browser keeps is for all pages of the site
const TOO_MUCH = "This link should carry a change of a cell, and carries too much.";
const TOO_LONG = "This is too much for a link: select the cell's text, and copy it.";
/** For tests, too. */
export const BROKEN = "This link should carry a change of a cell, and is broken: ask for it once more, whole.";

export const isEdit = (fragment) => fragment.startsWith(MARK);

/** Did this page write the address that it has? The browser keeps that with it, through a reload. */
export const isOwn = () => Boolean(history.state?.carriesOwn);

/** The address of the page carries these changes; whether the browser let it. */
export function carry(changes) {
  try {
    history.replaceState({ carriesOwn: true }, "", linkOf(location.href, changes));
    return true;
  } catch {
    return false; // too long, or too often
  }
}

export function linkOf(address, edits) {
  const bytes = new TextEncoder().encode(JSON.stringify(edits));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const code = btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  if (isTooMuch(code, onlyTexts(edits))) throw new Error(TOO_LONG);
  return `${address.split("#")[0]}${MARK}${code}`;
}

const isTooMuch = (code, edits) => code.length > MOST_LETTERS || Object.keys(edits).length > MOST_NAMES;

/**
 * The changes that a fragment carries: none if it is of another kind; an error if it cannot be read, or is longer than
 * any of the site's.
 */
export function brought(fragment) {
  if (!isEdit(fragment)) return {};
  const code = fragment.slice(MARK.length);
  let edits;
  try {
    const letters = atob(code.replace(/-/g, "+").replace(/_/g, "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    edits = onlyTexts(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
  } catch {
    throw new Error(BROKEN);
  }
  edits = Object.fromEntries(Object.entries(edits).filter(([name]) => NAME.test(name)));
  if (!Object.keys(edits).length) throw new Error(BROKEN);
  if (isTooMuch(code, edits)) throw new Error(TOO_MUCH);
  return edits;
}
