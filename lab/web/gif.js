// Moving pictures: frames of pixels as a GIF, as its specification of 1989 says.

const shades = 5; // bits of a channel that tell colours apart

// paletteOf gives the 256 most frequent colours of some frames, and which of them a pixel gets.
function paletteOf(frames) {
  const seen = new Map();
  const key = (data, i) => data[i] >> 8 - shades << 2 * shades | data[i + 1] >> 8 - shades << shades | data[i + 2] >> 8 - shades;
  for (const { data } of frames) {
    for (let i = 0; i < data.length; i += 4) {
      const k = key(data, i), known = seen.get(k);
      if (known) known.times++;
      else seen.set(k, { times: 1, rgb: [data[i], data[i + 1], data[i + 2]] });
    }
  }
  const colours = [...seen.values()].sort((a, b) => b.times - a.times).slice(0, 256).map((c) => c.rgb), places = new Map();
  const nearest = (rgb) => {
    let best = 0, least = Infinity;
    colours.forEach((c, n) => {
      const far = (c[0] - rgb[0]) ** 2 + (c[1] - rgb[1]) ** 2 + (c[2] - rgb[2]) ** 2;
      if (far < least) [best, least] = [n, far];
    });
    return best;
  };
  const placeOf = (data, i) => {
    const k = key(data, i);
    if (!places.has(k)) places.set(k, nearest(seen.get(k).rgb));
    return places.get(k);
  };
  return { colours, placeOf };
}

// pack writes numbers below 256 as LZW codes in blocks.
function pack(numbers) {
  const bytes = [], clear = 256, end = 257;
  let known = new Map(), next = 258, size = 9, bits = 0, filled = 0, prefix = numbers[0];
  const put = (code) => {
    bits |= code << filled;
    for (filled += size; filled >= 8; filled -= 8, bits >>>= 8) bytes.push(bits & 255);
  };
  put(clear);
  for (let n = 1; n < numbers.length; n++) {
    const both = prefix << 8 | numbers[n], code = known.get(both);
    if (code !== undefined) {
      prefix = code;
      continue;
    }
    put(prefix);
    if (next === 4096) {
      put(clear);
      [known, next, size] = [new Map(), 258, 9];
    } else {
      if (next === 1 << size) size++;
      known.set(both, next++);
    }
    prefix = numbers[n];
  }
  put(prefix);
  if (next === 1 << size && size < 12) size++;
  put(end);
  if (filled) bytes.push(bits & 255);
  const out = [8];
  for (let i = 0; i < bytes.length; i += 255) {
    const block = bytes.slice(i, i + 255);
    out.push(block.length, ...block);
  }
  return [...out, 0];
}

// gifOf returns a GIF that shows frames, ImageData of one size, for some milliseconds each, again and again.
export function gifOf(frames, milliseconds) {
  const { width, height } = frames[0], word = (n) => [n & 255, n >> 8], text = (s) => [...s].map((c) => c.charCodeAt(0)), { colours, placeOf } = paletteOf(frames);
  const parts = [text("GIF89a"), word(width), word(height), [0xf7, 0, 0], Array.from({ length: 256 }, (_, n) => colours[n] ?? [0, 0, 0]).flat(), [0x21, 0xff, 11], text("NETSCAPE2.0"), [3, 1, 0, 0, 0]];
  for (const { data } of frames) {
    const numbers = new Uint8Array(width * height);
    for (let i = 0; i < numbers.length; i++) numbers[i] = placeOf(data, 4 * i);
    parts.push([0x21, 0xf9, 4, 0], word(Math.round(milliseconds / 10)), [0, 0, 0x2c, 0, 0, 0, 0], word(width), word(height), [0], pack(numbers));
  }
  return new Blob([...parts, [0x3b]].map((p) => Uint8Array.from(p)), { type: "image/gif" });
}
