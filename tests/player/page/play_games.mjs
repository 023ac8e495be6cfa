// Plays games as standard input says, and prints the SHA-256 of what was seen and of what happened in each.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const [, , engineFile, moduleFile] = process.argv;
const { Engine } = await import(engineFile);
const engine = await Engine.load(readFileSync(moduleFile));

function play({ game: name, options, seed, actions }) {
  const game = engine.open(name, options);
  const frames = createHash("sha256"), rules = createHash("sha256");
  const report = () => {
    frames.update(game.frame());
    rules.update(new Uint8Array(Float32Array.of(game.reward).buffer));
    rules.update(new Uint8Array(Int32Array.of(game.terminated, game.truncated, game.level, game.levelComplete).buffer));
  };
  game.seed(seed);
  report();
  for (const action of actions) {
    if (game.terminated || game.truncated) game.reset();
    else game.step(action);
    report();
  }
  frames.update(game.frame(512));
  game.close();
  return { frames: frames.digest("hex"), rules: rules.digest("hex") };
}

const tasks = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(tasks.map(play)));
