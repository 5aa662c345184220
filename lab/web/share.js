// Programs in links: a cell's texts and settings, packed into the part of the address behind #.

const base64 = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

async function through(bytes, stream) {
  const out = new Response(new Blob([bytes]).stream().pipeThrough(stream));
  return new Uint8Array(await out.arrayBuffer());
}

// pack returns the link's text of what JSON can say.
export async function pack(value) {
  const packed = await through(new TextEncoder().encode(JSON.stringify(value)), new CompressionStream("deflate-raw"));
  let text = "";
  for (let i = 0; i < packed.length; i += 8190) text += base64(packed.subarray(i, i + 8190)); // a multiple of 3: parts join
  return text;
}

// unpack returns what a link's text says; an error where it is none.
export async function unpack(text) {
  return JSON.parse(new TextDecoder().decode(await through(bytesOf(text), new DecompressionStream("deflate-raw"))));
}
