// Where the learned world runs: on WebGPU where there is one, else in WebAssembly.

/** Whether the browser has a graphics processor for the learned world; one that is computed by the main one is none. */
export async function hasGpu(gpu = navigator.gpu) {
  const adapter = await gpu?.requestAdapter().catch(() => null);
  return Boolean(adapter) && !(adapter.info?.isFallbackAdapter ?? adapter.isFallbackAdapter);
}

/** Say where the learned world runs. */
export function machineText(processor, threads) {
  if (processor === "webgpu") return "on the graphics processor (WebGPU)";
  return `in WebAssembly, with ${threads === 1 ? "one thread" : `${threads} threads`}`;
}
