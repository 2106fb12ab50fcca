// Places in the text of the editor: as offsets, as lines and columns, and on the screen by way of the copy behind it.

/** The offset of a line and a column. Columns count characters, offsets count units of two bytes. */
export function offsetOf(value, line, column) {
  const lines = value.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  return Math.min(before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length, value.length);
}

/** The line and the column of an offset. */
export function placeOf(value, offset) {
  const lines = value.slice(0, offset).split("\n");
  return { line: lines.length, column: [...lines.at(-1)].length + 1 };
}

/** The texts that the copy behind the field consists of, each with the offset that it begins at. */
export function piecesOf(text) {
  const pieces = [];
  const walker = document.createTreeWalker(text.closest(".editor").querySelector(".backdrop"), NodeFilter.SHOW_TEXT);
  for (let at = 0; walker.nextNode(); at += walker.currentNode.length) pieces.push([at, walker.currentNode]);
  return pieces;
}

export function rangeOf(pieces, start, end) {
  const at = (place) => pieces.findLast(([begin]) => begin <= place);
  const [first, last] = [at(start), at(end - 1)];
  if (!first || !last) return null;
  const range = new Range();
  range.setStart(first[1], Math.min(start - first[0], first[1].length));
  range.setEnd(last[1], Math.min(end - last[0], last[1].length));
  return range;
}

/** Where an offset is on the screen. */
export function pointOf(text, offset) {
  const { left, top, height } = layoutOf(text);
  const begin = text.value.lastIndexOf("\n", offset - 1) + 1;
  const line = placeOf(text.value, offset).line;
  return { x: left + widthOf(piecesOf(text), begin, offset), y: top + (line - 1) * height, height };
}

/** The offset of the character under a point of the screen; null where there is none. */
export function offsetUnder(text, x, y) {
  const { left, top, height } = layoutOf(text);
  const number = Math.floor((y - top) / height);
  const lines = text.value.split("\n");
  if (number < 0 || number >= lines.length || x < left) return null;
  const begin = lines.slice(0, number).reduce((sum, each) => sum + each.length + 1, 0);
  const pieces = piecesOf(text);
  let [low, high] = [begin, begin + lines[number].length];
  if (widthOf(pieces, begin, high) < x - left) return null;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (widthOf(pieces, begin, middle) <= x - left) low = middle;
    else high = middle;
  }
  return low;
}

/** Where the first character is on the screen, and how high a line is. */
function layoutOf(text) {
  const style = getComputedStyle(text);
  const around = text.getBoundingClientRect();
  const left = around.left + Number.parseFloat(style.paddingLeft) - text.scrollLeft;
  const top = around.top + Number.parseFloat(style.paddingTop) - text.scrollTop;
  return { left, top, height: Number.parseFloat(style.lineHeight) };
}

function widthOf(pieces, start, end) {
  return start < end ? (rangeOf(pieces, start, end)?.getBoundingClientRect().width ?? 0) : 0;
}

/** Put a box below a point of the screen, or above it where there is more room, and whole onto the screen. */
export function putAt(box, { x, y, height }) {
  const room = { width: document.documentElement.clientWidth, height: visualViewport?.height ?? innerHeight };
  const below = room.height - y - height;
  const isBelow = below >= Math.min(box.offsetHeight, 160) || below >= y;
  box.style.maxHeight = `${Math.max(isBelow ? below : y, 80) - 12}px`;
  box.style.left = `${Math.max(8, Math.min(x, room.width - box.offsetWidth - 8))}px`;
  box.style.top = `${isBelow ? y + height + 4 : y - box.offsetHeight - 4}px`;
}
