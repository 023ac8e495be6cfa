// Random numbers of a step: the same for the same key on every machine, so a link shows everybody the same samples.

/** Return a generator of numbers from 0 to 1 (1 excluded) for a key, a text: sfc32, seeded by a hash of the key. */
export function random(key) {
  let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 1];
  for (let i = 0; i < key.length; i++) {
    a = Math.imul(a ^ key.charCodeAt(i), 0x01000193);
    b = Math.imul(b ^ a, 0x85ebca6b) ^ (b >>> 13);
    c = Math.imul(c ^ b, 0xc2b2ae35) ^ (c >>> 16);
  }
  const next = () => {
    const sum = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 15; i++) next();
  return next;
}

const FILLS = {
  uniform: (next, values) => values.forEach((_, i) => (values[i] = Math.fround(Math.min(next(), 1 - 2 ** -24)))),
  normal: (next, values) => {
    for (let i = 0; i < values.length; i += 2) {
      const radius = Math.sqrt(-2 * Math.log(1 - next())), angle = 2 * Math.PI * next();
      values[i] = radius * Math.cos(angle);
      if (i + 1 < values.length) values[i + 1] = radius * Math.sin(angle);
    }
  },
};

/** Return an array of a size, filled by a draw of "normal" or "uniform" numbers. */
export function draw(kind, size, key) {
  const values = new Float32Array(size);
  FILLS[kind](random(key), values);
  return values;
}
