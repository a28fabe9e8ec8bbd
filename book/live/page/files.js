// What a live page fetches: of a larger file exactly the one that the page was published with (files.json has its
// checksum), kept in this browser.

const STORE = "gpusim", NEWER = "the site may have a newer edition: reload the page.";

/**
 * What the site answers; an error in words where it does not, or with another kind of file, as sites answer for what is
 * gone.
 */
async function answered(address, { kind = /(?:)/, ...how } = {}) {
  const response = await fetch(address, how).catch(() => null);
  if (!response) throw new Error(`${address} did not come: there is no network, or the site does not answer. Try again when it does.`);
  if (!response.ok) throw new Error(`${address} did not come: ${response.status} ${response.statusText}; ${NEWER}`);
  const type = response.headers.get("content-type") ?? "";
  if (!kind.test(type)) throw new Error(`${address} came as ${type || "a file of no kind"}; ${NEWER}`);
  return response;
}

export async function json(address) {
  const response = await answered(address);
  return response.json().catch(() => {
    throw new Error(`${address} is another file than this page asked for; ${NEWER}`);
  });
}

export const script = async (address) => (await answered(address, { kind: /javascript/ })).text();

/**
 * What this browser keeps of the site, so that the next page fetches nothing; nothing on a site without https, or where
 * a browser keeps nothing.
 */
async function storeOf(base, files) {
  try {
    const store = await caches.open(STORE), named = new Set(files.map(({ name }) => base + name));
    for (const { url } of await store.keys()) if (url.startsWith(base) && !named.has(url)) await store.delete(url);
    return store;
  } catch {
    return null;
  }
}

/**
 * Is it the file that the page was published with? A site without https has no checksums, and its files their length.
 */
async function isRight({ bytes, sha256 }, content) {
  if (content.length !== bytes || !globalThis.crypto?.subtle) return content.length === bytes;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("") === sha256;
}

/** The bytes that an address has now; how many have come is said as they come. */
async function fetched(address, how, arrived) {
  const parts = [], reader = (await answered(address, how)).body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new Error(`${address} came only in part: the connection broke. Run a cell, and what is missing is loaded again.`);
    });
    if (done) break;
    parts.push(value);
    arrived(value.length);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** A file's bytes: as they are kept, else as they come, else as they come when no cache is asked. */
async function bytesOf(file, address, store, arrived, signal) {
  const kept = await store?.match(address).catch(() => null); // a store that breaks is none
  const content = await kept?.arrayBuffer().then((bytes) => new Uint8Array(bytes)).catch(() => null);
  if (content && await isRight(file, content)) return arrived(content.length), content;
  for (const cache of ["default", "reload"]) {
    let came = 0;
    const content = await fetched(address, { cache, signal }, (bytes) => ((came += bytes), arrived(bytes)));
    if (await isRight(file, content)) {
      await store?.put(address, new Response(content)).catch(() => {}); // a full store is none
      return content;
    }
    arrived(-came);
  }
  throw new Error(`${address} is not the file that this page was published with: the site has a newer edition, or the file was changed on its way. Reload the page.`);
}

/**
 * The files of `base` with their bytes, in their order; `progress(bytes)` hears how much has come, and `signal` ends
 * it.
 */
export async function load(base, files, progress, signal) {
  const store = await storeOf(base, files);
  let loaded = 0;
  const arrived = (bytes) => signal?.aborted || progress((loaded += bytes));
  return Promise.all(files.map(async (file) => ({ ...file, content: await bytesOf(file, base + file.name, store, arrived, signal) })));
}
