// TextEncoder and TextDecoder (UTF-8, UTF-16LE, windows-1252), as the Encoding standard describes them.
'use strict';
() => {
const high = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
const labels = { 'utf-8': 'utf-8', utf8: 'utf-8', 'unicode-1-1-utf-8': 'utf-8', 'utf-16le': 'utf-16le', 'utf-16': 'utf-16le',
  'windows-1252': 'windows-1252', latin1: 'windows-1252', 'iso-8859-1': 'windows-1252', ascii: 'windows-1252', 'us-ascii': 'windows-1252' };
const bytesOf = point => point < 128 ? [point]
  : point < 0x800 ? [0xc0 | point >> 6, 0x80 | point & 63]
  : point < 0x10000 ? [0xe0 | point >> 12, 0x80 | point >> 6 & 63, 0x80 | point & 63]
  : [0xf0 | point >> 18, 0x80 | point >> 12 & 63, 0x80 | point >> 6 & 63, 0x80 | point & 63];
const pointAt = (text, index) => {
  const point = text.codePointAt(index);
  return point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
};
class TextEncoder {
  get encoding() { return 'utf-8'; }
  encode(text = '') {
    text = String(text);
    const bytes = new Uint8Array(text.length * 3);
    return bytes.slice(0, this.encodeInto(text, bytes).written);
  }
  encodeInto(text, target) {
    if (!(target instanceof Uint8Array)) throw new TypeError('encodeInto needs a Uint8Array');
    text = String(text);
    let read = 0, written = 0;
    while (read < text.length) {
      const unit = text.charCodeAt(read);
      if (unit < 128) {
        if (written === target.length) break;
        target[written++] = unit; read++;
        continue;
      }
      const point = pointAt(text, read), bytes = bytesOf(point);
      if (written + bytes.length > target.length) break;
      for (const byte of bytes) target[written++] = byte;
      read += point > 0xffff ? 2 : 1;
    }
    return { read, written };
  }
}
// Each step takes bytes and whether more may follow, and gives text and the bytes left for the next time.
const utf8 = (bytes, more, bad) => {
  const parts = [];
  let units = [], i = 0;
  while (i < bytes.length) {
    const first = bytes[i];
    const extra = first < 0x80 ? 0 : first >= 0xc2 && first < 0xe0 ? 1 : first >= 0xe0 && first < 0xf0 ? 2 : first >= 0xf0 && first < 0xf5 ? 3 : -1;
    if (extra < 0) { units.push(bad()); i++; continue; }
    let point = extra ? first & 0x3f >> extra : first, taken = 1;
    while (taken <= extra && i + taken < bytes.length) {
      const low = taken > 1 ? 0x80 : first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
      const top = taken > 1 ? 0xbf : first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
      const byte = bytes[i + taken];
      if (byte < low || byte > top) break;
      point = point << 6 | byte & 63; taken++;
    }
    if (taken <= extra && i + taken === bytes.length && more) break;
    units.push(taken <= extra ? bad() : point);
    i += taken;
    if (units.length > 4096) { parts.push(String.fromCodePoint.apply(null, units)); units = []; }
  }
  return [parts.join('') + String.fromCodePoint.apply(null, units), bytes.slice(i)];
};
const utf16 = (bytes, more, bad) => {
  let text = '', i = 0;
  for (; i + 1 < bytes.length; i += 2) {
    const unit = bytes[i] | bytes[i + 1] << 8;
    if (more && i + 3 >= bytes.length && unit >= 0xd800 && unit < 0xdc00) break;
    text += String.fromCharCode(unit);
  }
  if (!text.isWellFormed()) { bad(); text = text.toWellFormed(); }
  if (!more && i < bytes.length) text += String.fromCodePoint(bad());
  return [text, more ? bytes.slice(i) : bytes.slice(0, 0)];
};
const windows1252 = bytes => [Array.from(bytes, byte => byte >= 0x80 && byte < 0xa0 ? high[byte - 0x80] : String.fromCharCode(byte)).join(''), bytes.slice(0, 0)];
const steps = { 'utf-8': utf8, 'utf-16le': utf16, 'windows-1252': windows1252 };
const viewOf = input => {
  if (input === undefined) return new Uint8Array();
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  if (input instanceof ArrayBuffer) return new Uint8Array(input);
  throw new TypeError('decode needs an ArrayBuffer or a view of one');
};
const joined = (left, right) => {
  if (!left.length) return right;
  const bytes = new Uint8Array(left.length + right.length);
  bytes.set(left); bytes.set(right, left.length);
  return bytes;
};
class TextDecoder {
  #left = new Uint8Array(); #started = false;
  constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
    const encoding = labels[String(label).trim().toLowerCase()];
    if (!encoding) throw new RangeError(`unknown encoding '${label}'`);
    Object.defineProperties(this, { encoding: { value: encoding }, fatal: { value: !!fatal }, ignoreBOM: { value: !!ignoreBOM } });
  }
  decode(input, { stream = false } = {}) {
    const bad = () => {
      if (this.fatal) { this.#left = new Uint8Array(); this.#started = false; throw new TypeError('the bytes are not valid ' + this.encoding); }
      return 0xfffd;
    };
    const [text, left] = steps[this.encoding](joined(this.#left, viewOf(input)), stream, bad);
    const marked = !this.#started && !this.ignoreBOM && this.encoding !== 'windows-1252' && text[0] === '\ufeff';
    this.#left = stream ? left : new Uint8Array();
    this.#started = stream && (this.#started || text.length > 0);
    return marked ? text.slice(1) : text;
  }
}
return { TextEncoder, TextDecoder };
}
