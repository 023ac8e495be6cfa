import assert from "node:assert/strict";
import { test } from "node:test";
import { ModelError, RemoteModel } from "../../../worldmodels/player/page/remote_model.js";

/** A worker that keeps its messages. */
class Worker {
  messages = [];
  postMessage = (message) => this.messages.push(message);
  terminate = () => (this.isOver = true);
}

test("each call has the answer with its number", async () => {
  const worker = new Worker(), model = new RemoteModel(worker);
  const answers = [model.step(3), model.save(7)];
  assert.deepEqual(worker.messages.map(({ id, name, values }) => [id, name, values]), [[0, "step", [3]], [1, "save", [7]]]);
  worker.onmessage({ data: { id: 1, result: "saved" } });
  worker.onmessage({ data: { id: 0, error: "no memory" } });
  assert.equal(await answers[1], "saved");
  await assert.rejects(answers[0], (error) => error instanceof ModelError && error.message === "no memory");
  model.stop();
  assert.equal(worker.isOver, true);
});

test("a lost graphics processor rejects what waits and what comes", async () => {
  const worker = new Worker(), model = new RemoteModel(worker), waiting = model.step(3);
  worker.onmessage({ data: { lost: true } });
  await assert.rejects(waiting, ModelError);
  await assert.rejects(model.step(4), ModelError);
});
