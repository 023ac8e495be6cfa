// Threads need headers of the server. Where they are missing, a service worker adds them (isolate.js), once.

const TRIED = "worldmodels: headers asked for", MOST_THREADS = 4;

/** Load the page again with the headers for threads, if the browser and the address allow it. */
export async function askForThreads() {
  if (self.crossOriginIsolated || !navigator.serviceWorker || self !== self.top || sessionStorage.getItem(TRIED)) return;
  sessionStorage.setItem(TRIED, "1");
  await navigator.serviceWorker.register(new URL("isolate.js", import.meta.url));
  await navigator.serviceWorker.ready;
  location.reload();
}

/** Return how many threads the learned world gets: one for each core but the page's own. */
export function threads() {
  if (!self.crossOriginIsolated) return 1;
  return Math.max(1, Math.min(MOST_THREADS, (navigator.hardwareConcurrency || 1) - 1));
}

/** Whether the browser has the instructions for vectors and exceptions that the modules are compiled with. */
export function runsModules() {
  const simd = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11);
  return typeof WebAssembly === "object" && WebAssembly.validate(simd);
}
