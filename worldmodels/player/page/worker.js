// The learned world in a worker, so that the page answers while a frame is drawn. Messages are calls: {id, name, values}.

import { Model } from "./model.js";

const MOST_MOMENTS = 300; // that can be gone back to
let model = null;
const moments = new Map();

const calls = {
  /** Start ONNX Runtime on a processor, "webgpu" or "wasm" with so many threads, and compile a world's functions. */
  async load({ runtime, binary, processor, threads, functions, files, weights }) {
    const ort = await import(runtime);
    Object.assign(ort.env.wasm, { numThreads: threads, wasmBinary: binary, wasmPaths: new URL(".", runtime).href });
    model = await Model.load(ort, functions, files, weights, processor);
    if (processor === "webgpu") (await ort.env.webgpu.device).lost.then(() => postMessage({ lost: true }));
    return ort.env.wasm.numThreads;
  },
  observe: (...values) => model.observe(...values),
  choose: (...values) => model.choose(...values),
  step: (...values) => model.step(...values),
  branch: (...values) => model.branch(...values),
  putBack: () => model.putBack(),
  /** Keep the states of this moment under a number. */
  save(moment) {
    moments.set(moment, model.save());
    moments.delete(moment - MOST_MOMENTS);
  },
  load_moment: (moment) => model.load(moments.get(moment)),
};

let last = Promise.resolve();
onmessage = ({ data: { id, name, values } }) => {
  last = last.then(async () => {
    try {
      postMessage({ id, result: await calls[name](...values) });
    } catch (error) {
      postMessage({ id, error: String(error?.message ?? error) });
    }
  });
};
