// Pictures of parts of a page as SVG, for slides: boxes, lines, texts and drawings are placed as the browser has placed them.
import { gifOf } from "./gif.js";
import { svg } from "./looks.js";

const kept = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-weight", "font-family", "text-anchor"];
const clear = /^(transparent|rgba\(.*, 0\))$/;

// drawingOf copies a drawing with the style sheet's attributes written out.
function drawingOf(element) {
  const copy = element.cloneNode(false), style = getComputedStyle(element);
  copy.removeAttribute("class");
  copy.removeAttribute("tabindex");
  copy.removeAttribute("role");
  for (const name of kept) copy.setAttribute(name, style.getPropertyValue(name));
  for (const child of element.childNodes) copy.append(child.nodeType === Node.ELEMENT_NODE ? drawingOf(child) : child.cloneNode());
  return copy;
}

// lines cuts a text node into the lines that the browser broke it into: {text, box}.
function* lines(node) {
  const range = document.createRange();
  let text = "", box = null;
  for (const word of node.data.matchAll(/\s+|[^\s]+/g)) {
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    // A long word is broken too: then letter by letter.
    const whole = range.getClientRects().length === 1;
    for (let at = word.index, end = word.index + word[0].length; at < end; at += whole ? end - at : 1) {
      range.setStart(node, at);
      range.setEnd(node, whole ? end : at + 1);
      const here = range.getClientRects()[0], part = range.toString();
      if (!here || here.width === 0) continue;
      if (box && Math.abs(here.top - box.top) < 2) {
        text += part;
        box = { top: box.top, bottom: box.bottom, left: box.left, right: here.right };
        continue;
      }
      if (text.trim()) yield { text, box };
      [text, box] = [part, { top: here.top, bottom: here.bottom, left: here.left, right: here.right }];
    }
  }
  if (text.trim()) yield { text, box };
}

// pictureOf draws an element as SVG, without what is there to be clicked alone (data-unpictured).
export function pictureOf(element) {
  document.documentElement.classList.add("picturing");
  try {
    return draw(element);
  } finally {
    document.documentElement.classList.remove("picturing");
  }
}

function draw(element) {
  const frame = element.getBoundingClientRect(), picture = svg("svg", {
    xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${Math.ceil(frame.width)} ${Math.ceil(frame.height)}`, width: Math.ceil(frame.width), height: Math.ceil(frame.height),
  });
  const inside = (box) => box.bottom > frame.top && box.top < frame.bottom && box.right > frame.left && box.left < frame.right;
  // visit draws an element within what its scrolling ancestors show.
  const visit = (e, shown) => {
    const style = getComputedStyle(e), box = e.getBoundingClientRect();
    if (style.display === "none" || style.visibility === "hidden" || (style.display !== "contents" && !inside(box))) return;
    const x = box.left - frame.left, y = box.top - frame.top;
    if (e instanceof SVGSVGElement) {
      const copy = drawingOf(e);
      for (const [name, value] of Object.entries({ x, y, width: box.width, height: box.height })) copy.setAttribute(name, value);
      shown.append(copy);
      return;
    }
    const border = parseFloat(style.borderTopWidth) && style.borderTopStyle !== "none" && parseFloat(style.borderLeftWidth);
    if (!clear.test(style.backgroundColor) || border) {
      shown.append(svg("rect", { x, y, width: box.width, height: box.height, rx: parseFloat(style.borderTopLeftRadius) || null,
        fill: clear.test(style.backgroundColor) ? "none" : style.backgroundColor, stroke: border ? style.borderTopColor : null }));
    }
    let into = shown;
    if (/auto|scroll|hidden/.test(style.overflowX + style.overflowY)) {
      into = svg("svg", { x, y, width: box.width, height: box.height, viewBox: `${x} ${y} ${box.width} ${box.height}` });
      shown.append(into);
    }
    if (/^(SELECT|INPUT|TEXTAREA)$/.test(e.tagName)) {
      const word = e.tagName === "SELECT" ? e.selectedOptions[0]?.textContent : e.type === "range" || e.type === "checkbox" ? "" : e.value;
      if (word) into.append(svg("text", { x: x + 8, y: y + box.height / 2 + parseFloat(style.fontSize) / 3, fill: style.color, "font-size": style.fontSize, "font-family": style.fontFamily }, word));
      return;
    }
    for (const child of e.childNodes) {
      if (child.nodeType === Node.ELEMENT_NODE) visit(child, into);
      if (child.nodeType !== Node.TEXT_NODE) continue;
      for (const line of lines(child)) {
        if (!inside(line.box)) continue;
        const size = parseFloat(style.fontSize), high = line.box.bottom - line.box.top;
        into.append(svg("text", { x: line.box.left - frame.left, y: line.box.top - frame.top + high / 2 + size * 0.34, fill: style.color, "font-size": size, "font-weight": style.fontWeight,
          "font-family": style.fontFamily, "xml:space": "preserve" }, line.text));
      }
    }
  };
  let back = element;
  while (back.parentElement && clear.test(getComputedStyle(back).backgroundColor)) back = back.parentElement;
  picture.append(svg("rect", { width: "100%", height: "100%", fill: getComputedStyle(back).backgroundColor }));
  visit(element, picture);
  return picture;
}

// offer gives the reader a file.
function offer(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name.replace(/[^A-Za-z0-9.-]+/g, "-");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const textOf = (picture) => new XMLSerializer().serializeToString(picture);

// savePicture offers an element's picture as a file.
export const savePicture = (element, name) => offer(new Blob([textOf(pictureOf(element))], { type: "image/svg+xml" }), `${name}.svg`);

const frameTime = 300, mostFrames = 24; // milliseconds

// pixelsOf draws a picture as pixels.
async function pixelsOf(picture) {
  const image = new Image(), width = Math.round(picture.getAttribute("width")), height = Math.round(picture.getAttribute("height"));
  image.src = `data:image/svg+xml,${encodeURIComponent(textOf(picture))}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width, height }), pen = canvas.getContext("2d", { willReadFrequently: true });
  pen.drawImage(image, 0, 0);
  return pen.getImageData(0, 0, width, height);
}

// filmOf is a GIF of an element, now and after each of the next steps; step goes on by one and says whether there was one to go.
export async function filmOf(element, step) {
  const frames = [];
  do frames.push(await pixelsOf(pictureOf(element))); while (frames.length < mostFrames && step());
  const high = Math.max(...frames.map((f) => f.height)); // what is below a short one stays empty
  return gifOf(frames.map((f) => (f.height === high ? f : padded(f, high))), frameTime);
}

// padded continues a frame's last row down to a height.
function padded(frame, high) {
  const out = new ImageData(frame.width, high), row = frame.data.subarray(-4 * frame.width);
  for (let y = 0; y < high; y++) out.data.set(row, 4 * frame.width * y);
  out.data.set(frame.data);
  return out;
}

// saveFilm offers the GIF as a file.
export const saveFilm = async (element, step, name) => offer(await filmOf(element, step), `${name}.gif`);
