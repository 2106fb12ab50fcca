// URL and URLSearchParams, as the URL standard describes them.
'use strict';
kit => {
const ports = { __proto__: null, 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443', 'ftp:': '21', 'file:': '' };
const isSpecial = url => url.scheme in ports;

// Percent-encoding: each set names the printable ASCII characters it encodes; the rest beyond ASCII always is.
const sets = { fragment: ' "<>`', query: ' "#<>', specialQuery: ' "#<>\'', path: ' "#<>?`{}^', userinfo: ' "#<>?`{}/:;=@[\\]^|' };
const utf8 = character => {
  const point = character.codePointAt(0);
  if (point < 128) return [point];
  return encodeURIComponent(point >= 0xd800 && point <= 0xdfff ? '\ufffd' : character).slice(1).split('%').map(hex => parseInt(hex, 16));
};
const escapeByte = byte => '%' + (byte < 16 ? '0' : '') + byte.toString(16).toUpperCase();
const encode = (text, set) => Array.from(text, character =>
  character < ' ' || character > '~' || set.includes(character) ? utf8(character).map(escapeByte).join('') : character).join('');
const decodeBytes = text => {
  const bytes = [];
  for (let i = 0; i < text.length; i++) {
    const hex = text.slice(i + 1, i + 3);
    if (text[i] === '%' && /^[0-9a-f]{2}$/i.test(hex)) { bytes.push(parseInt(hex, 16)); i += 2; continue; }
    const character = String.fromCodePoint(text.codePointAt(i));
    bytes.push(...utf8(character));
    i += character.length - 1;
  }
  return bytes;
};
const decode = text => new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array(decodeBytes(text)));

// Hosts.
const punycode = label => {
  const points = Array.from(label, character => character.codePointAt(0));
  const basic = points.filter(point => point < 128);
  let result = String.fromCodePoint(...basic) + (basic.length ? '-' : '');
  let n = 128, delta = 0, bias = 72, handled = basic.length;
  const digit = value => String.fromCharCode(value < 26 ? value + 97 : value + 22);
  while (handled < points.length) {
    const next = Math.min(...points.filter(point => point >= n));
    delta += (next - n) * (handled + 1); n = next;
    for (const point of points) {
      if (point < n) delta++;
      if (point !== n) continue;
      let q = delta;
      for (let k = 36; ; k += 36) {
        const threshold = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
        if (q < threshold) break;
        result += digit(threshold + (q - threshold) % (36 - threshold));
        q = Math.floor((q - threshold) / (36 - threshold));
      }
      result += digit(q);
      let k = 0;
      delta = handled === basic.length ? Math.floor(delta / 700) : delta >> 1;
      delta += Math.floor(delta / (handled + 1));
      for (; delta > 455; k += 36) delta = Math.floor(delta / 35);
      bias = k + Math.floor(36 * delta / (delta + 38));
      delta = 0; handled++;
    }
    delta++; n++;
  }
  return 'xn--' + result;
};
const toAscii = host => host.normalize('NFKC').toLowerCase().normalize('NFKC').replace(/[\u00ad\u200b\u2060\ufeff]/g, '').replace(/[\u3002\uff0e\uff61]/g, '.')
  .split('.').map(label => /[^\0-\x7f]/.test(label) ? (label.length > 255 ? undefined : punycode(label)) : label);
const number4 = text => {
  if (text === '') return NaN;
  if (/^0x[0-9a-f]*$/i.test(text)) return text.length === 2 ? 0 : parseInt(text, 16);
  if (/^0[0-7]*$/.test(text)) return parseInt(text, 8);
  return /^[0-9]+$/.test(text) && text[0] !== '0' ? parseInt(text, 10) : NaN;
};
const endsInNumber = host => {
  const parts = host.split('.');
  if (parts.at(-1) === '' && parts.length > 1) parts.pop();
  return /^[0-9]+$|^0x[0-9a-f]*$/i.test(parts.at(-1));
};
const address4 = host => {
  const parts = host.split('.');
  if (parts.at(-1) === '' && parts.length > 1) parts.pop();
  const numbers = parts.map(number4), last = numbers.pop();
  if (parts.length > 4 || isNaN(last) || numbers.some(value => !(value <= 255)) || last >= 256 ** (4 - numbers.length)) return null;
  let address = numbers.reduce((sum, value, index) => sum + value * 256 ** (3 - index), last);
  const bytes = [];
  for (let i = 0; i < 4; i++) { bytes.unshift(address % 256); address = Math.floor(address / 256); }
  return bytes.join('.');
};
const pieces6 = text => {
  if (text === '') return [];
  const pieces = text.split(':'), last = pieces.at(-1);
  if (!last.includes('.')) return pieces.every(piece => /^[0-9a-f]{1,4}$/i.test(piece)) ? pieces.map(piece => parseInt(piece, 16)) : null;
  const bytes = last.split('.');
  if (bytes.length !== 4 || !bytes.every(byte => /^(0|[1-9][0-9]{0,2})$/.test(byte) && byte < 256)) return null;
  const [a, b, c, d] = bytes.map(Number);
  const before = pieces6(pieces.slice(0, -1).join(':'));
  return before && [...before, a * 256 + b, c * 256 + d];
};
const address6 = text => {
  const halves = text.split('::');
  if (halves.length > 2 || /:::/.test(text)) return null;
  const left = pieces6(halves[0]), right = halves.length === 2 ? pieces6(halves[1]) : [];
  if (!left || !right || (halves.length === 2 && halves[0].includes('.'))) return null;
  const missing = 8 - left.length - right.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  return write6([...left, ...Array(missing).fill(0), ...right]);
};
const write6 = pieces => {
  let best = -1, length = 1;
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && pieces[end] === 0) end++;
    if (end - i > length) { best = i; length = end - i; }
  }
  const hex = part => part.map(piece => piece.toString(16)).join(':');
  return best < 0 ? `[${hex(pieces)}]` : `[${hex(pieces.slice(0, best))}::${hex(pieces.slice(best + length))}]`;
};
const parseHost = (text, special) => {
  if (text[0] === '[') return text.at(-1) === ']' ? address6(text.slice(1, -1)) : null;
  if (!special) return /[\0\t\n\r #/:<>?@[\\\]^|]/.test(text) ? null : encode(text, '');
  const labels = toAscii(decode(text));
  const host = labels.includes(undefined) ? '' : labels.join('.');
  if (host === '' || /[\0-\x20"#%/:<>?@[\\\]^`{|}\x7f]/.test(host)) return null;
  return endsInNumber(host) ? address4(host) : host;
};

// Parsing.
const isSingleDot = part => /^(\.|%2e)$/i.test(part), isDoubleDot = part => /^(\.|%2e){2}$/i.test(part);
const isDrive = part => /^[a-z][:|]$/i.test(part), startsWithDrive = text => /^[a-z][:|]([/\\]|$)/i.test(text);
const shorten = url => {
  if (!(url.scheme === 'file:' && url.path.length === 1 && /^[a-z]:$/i.test(url.path[0]))) url.path.pop();
};
const addPath = (url, text) => {
  const parts = (isSpecial(url) ? text.replace(/\\/g, '/') : text).split('/');
  parts.forEach((part, index) => {
    const last = index === parts.length - 1;
    if (isDoubleDot(part)) { shorten(url); if (last) url.path.push(''); }
    else if (isSingleDot(part)) { if (last) url.path.push(''); }
    else url.path.push(url.scheme === 'file:' && !url.path.length && isDrive(part) ? part[0] + ':' : encode(part, sets.path));
  });
};
const setPort = (url, text) => {
  if (text === '') { url.port = ''; return true; }
  if (!/^[0-9]+$/.test(text) || +text > 65535) return false;
  url.port = String(+text) === ports[url.scheme] ? '' : String(+text);
  return true;
};
const setAuthority = (url, text) => {
  const at = text.lastIndexOf('@');
  if (at >= 0) {
    const [, username, , password = ''] = /^([^:]*)(:([^]*))?$/.exec(text.slice(0, at));
    url.username = encode(username, sets.userinfo); url.password = encode(password, sets.userinfo);
  }
  const [, host, colon, port = ''] = /^(\[[^\]]*\]?|[^:]*)(:([^]*))?$/.exec(text.slice(at + 1)) ?? [];
  if (host === undefined || (host === '' && (isSpecial(url) || at >= 0 || colon))) return false;
  url.host = host === '' ? '' : parseHost(host, isSpecial(url));
  return url.host !== null && setPort(url, port);
};
const inherit = (url, base) => { for (const key of ['username', 'password', 'host', 'port']) url[key] = base[key]; };
const finish = (url, rest) => {
  if (rest.fragment !== undefined) url.fragment = encode(rest.fragment, sets.fragment);
  if (rest.query !== undefined) url.query = encode(rest.query, isSpecial(url) ? sets.specialQuery : sets.query);
  return url;
};
const startOfPath = text => { const match = /[/\\]/.exec(text); return match ? match.index : text.length; };
const afterAuthority = (url, text) => {
  const end = isSpecial(url) ? startOfPath(text) : (text + '/').indexOf('/');
  if (!setAuthority(url, text.slice(0, end))) return null;
  if (end < text.length) addPath(url, text.slice(end + 1));
  else if (isSpecial(url)) url.path = [''];
  return url;
};
const parseFile = (url, text, base, rest) => {
  text = text.replace(/\\/g, '/');
  const fromBase = base?.scheme === 'file:' && !base.opaque;
  if (text.startsWith('//')) {
    const [, host, path] = /^\/\/([^/]*)([^]*)$/.exec(text);
    if (isDrive(host)) { url.host = ''; addPath(url, host + path); return url; }
    url.host = host === '' ? '' : parseHost(host, true);
    if (url.host === null) return null;
    if (url.host === 'localhost') url.host = '';
    addPath(url, path.slice(1));
    return url;
  }
  url.host = fromBase ? base.host : '';
  if (text.startsWith('/')) {
    if (fromBase && !startsWithDrive(text.slice(1)) && /^[a-z]:$/i.test(base.path[0] ?? '')) url.path.push(base.path[0]);
    addPath(url, text.slice(1));
    return url;
  }
  if (!fromBase) { addPath(url, text); return url; }
  return parseRelativePath(url, text, base, rest);
};
const parseRelativePath = (url, text, base, rest) => {
  url.path = [...base.path];
  if (text === '') { if (rest.query === undefined) url.query = base.query; return url; }
  if (url.scheme === 'file:' && startsWithDrive(text)) url.path = []; else shorten(url);
  addPath(url, text);
  return url;
};
const parseRelative = (url, text, base, rest) => {
  const slashes = isSpecial(url) ? text.replace(/\\/g, '/') : text;
  if (slashes.startsWith('//')) return afterAuthority(url, isSpecial(url) ? text.replace(/^[/\\]+/, '') : text.slice(2));
  inherit(url, base);
  if (!slashes.startsWith('/')) return parseRelativePath(url, text, base, rest);
  addPath(url, text.slice(1));
  return url;
};
const parseBody = (url, text, base, rest) => {
  if (url.scheme === 'file:') return parseFile(url, text, base, rest);
  if (isSpecial(url)) {
    if (base?.scheme === url.scheme && !/^[/\\]{2}/.test(text)) return parseRelative(url, text, base, rest);
    return afterAuthority(url, text.replace(/^[/\\]+/, ''));
  }
  if (text.startsWith('//')) return afterAuthority(url, text.slice(2));
  if (text.startsWith('/')) { addPath(url, text.slice(1)); return url; }
  url.opaque = true;
  const trailing = rest.query === undefined && rest.fragment === undefined ? text : text.replace(/ $/, '%20');
  url.path = [encode(trailing, '')];
  return url;
};
const blank = scheme => ({ scheme, username: '', password: '', host: null, port: '', path: [], opaque: false, query: null, fragment: null });
const parse = (input, base) => {
  input = input.replace(/^[\0-\x20]+|[\0-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
  const [, scheme] = /^([a-z][a-z0-9+.-]*:)/i.exec(input) ?? [];
  const [, text, , query, , fragment] = /^([^?#]*)(\?([^#]*))?(#([^]*))?$/.exec(scheme ? input.slice(scheme.length) : input);
  const rest = { query, fragment };
  if (scheme) {
    const url = blank(scheme.toLowerCase());
    return parseBody(url, text, base, rest) && finish(url, rest);
  }
  if (!base || (base.opaque && (text !== '' || query !== undefined || fragment === undefined))) return null;
  const url = blank(base.scheme);
  if (base.opaque) Object.assign(url, base, { path: [...base.path], fragment: null });
  else if (!(url.scheme === 'file:' ? parseFile : parseRelative)(url, text, base, rest)) return null;
  return finish(url, rest);
};
const pathOf = url => url.opaque ? url.path[0] : url.path.map(part => '/' + part).join('');
const hostOf = url => (url.host ?? '') + (url.port && ':' + url.port);
const write = url => {
  const user = url.username + (url.password && ':' + url.password);
  const authority = url.host === null ? (!url.opaque && url.path.length > 1 && url.path[0] === '' ? '/.' : '') : '//' + user + (user && '@') + hostOf(url);
  return url.scheme + authority + pathOf(url) + (url.query === null ? '' : '?' + url.query) + (url.fragment === null ? '' : '#' + url.fragment);
};

// application/x-www-form-urlencoded.
const parseForm = text => text.split('&').filter(part => part).map(part => {
  const [, name, , value = ''] = /^([^=]*)(=([^]*))?$/.exec(part.replace(/\+/g, ' '));
  return [decode(name), decode(value)];
});
const encodeForm = text => Array.from(String(text), character => character === ' ' ? '+'
  : /^[A-Za-z0-9*._-]$/.test(character) ? character : utf8(character).map(escapeByte).join('')).join('');
const wellFormed = value => String(value).toWellFormed();
const pairsOf = init => {
  if (typeof init !== 'object' && typeof init !== 'function' || init === null) return parseForm(wellFormed(init).replace(/^\?/, ''));
  if (init[Symbol.iterator] === undefined) return Object.keys(init).map(key => [wellFormed(key), wellFormed(init[key])]);
  return Array.from(init, pair => {
    const [name, value, ...more] = pair;
    if (more.length || Array.from(pair).length !== 2) throw new TypeError('each pair needs a name and a value');
    return [wellFormed(name), wellFormed(value)];
  });
};
let link;
class URLSearchParams {
  #pairs; #changed;
  static { link = (params, pairs, changed) => { params.#pairs = pairs; params.#changed ??= changed; }; }
  constructor(init = '') { this.#pairs = pairsOf(init); }
  #set(pairs) { this.#pairs = pairs; this.#changed?.(this.toString()); }
  get size() { return this.#pairs.length; }
  append(name, value) { this.#pairs.push([wellFormed(name), wellFormed(value)]); this.#set(this.#pairs); }
  delete(name, value) { this.#set(this.#pairs.filter(pair => pair[0] !== String(name) || value !== undefined && pair[1] !== String(value))); }
  get(name) { return this.#pairs.find(pair => pair[0] === String(name))?.[1] ?? null; }
  getAll(name) { return this.#pairs.filter(pair => pair[0] === String(name)).map(pair => pair[1]); }
  has(name, value) { return this.#pairs.some(pair => pair[0] === String(name) && (value === undefined || pair[1] === String(value))); }
  set(name, value) {
    name = wellFormed(name);
    const first = this.#pairs.findIndex(pair => pair[0] === name);
    if (first < 0) return this.append(name, value);
    this.#set(this.#pairs.filter((pair, index) => pair[0] !== name || index === first).map(pair => pair[0] === name ? [name, wellFormed(value)] : pair));
  }
  sort() { this.#set([...this.#pairs].sort((a, b) => a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)); }
  forEach(callback, self) { for (const [name, value] of this) callback.call(self, value, name, this); }
  *entries() { for (let i = 0; i < this.#pairs.length; i++) yield [...this.#pairs[i]]; }
  *keys() { for (const [name] of this.entries()) yield name; }
  *values() { for (const [, value] of this.entries()) yield value; }
  toString() { return this.#pairs.map(([name, value]) => encodeForm(name) + '=' + encodeForm(value)).join('&'); }
}
Object.defineProperty(URLSearchParams.prototype, Symbol.iterator, { value: URLSearchParams.prototype.entries, writable: true, configurable: true });
Object.defineProperty(URLSearchParams.prototype, Symbol.toStringTag, { value: 'URLSearchParams', configurable: true });
kit.refused = [['URLSearchParams', URLSearchParams]];

const withBase = (input, base) => {
  const parsed = base === undefined ? undefined : parse(wellFormed(base));
  return parsed === null ? null : parse(wellFormed(input), parsed);
};
const cannotHaveUser = url => !url.host || url.scheme === 'file:';
const opaqueOrigin = 'null';
const originOf = url => {
  if (url.scheme === 'blob:') { const inner = parse(pathOf(url)); return inner && /^https?:$/.test(inner.scheme) ? originOf(inner) : opaqueOrigin; }
  return isSpecial(url) && url.scheme !== 'file:' ? url.scheme + '//' + hostOf(url) : opaqueOrigin;
};
const strip = text => text.replace(/[\t\n\r]/g, '');
class URL {
  #url; #params = new URLSearchParams();
  constructor(input, base) {
    if (!arguments.length) throw new TypeError('URL needs an address');
    const url = withBase(input, base);
    if (!url) throw new TypeError(`Invalid URL: '${wellFormed(input)}'`);
    this.#take(url);
    link(this.#params, parseForm(url.query ?? ''), text => { this.#url.query = text === '' ? null : text; });
  }
  static canParse(input, base) { return !!withBase(input, base); }
  static parse(input, base) { return withBase(input, base) ? new URL(input, base) : null; }
  #take(url) { this.#url = url; link(this.#params, parseForm(url.query ?? '')); }
  get href() { return write(this.#url); }
  set href(text) {
    const url = parse(wellFormed(text));
    if (!url) throw new TypeError(`Invalid URL: '${wellFormed(text)}'`);
    this.#take(url);
  }
  get origin() { return originOf(this.#url); }
  get protocol() { return this.#url.scheme; }
  set protocol(text) {
    const url = this.#url, [, name] = /^([a-z][a-z0-9+.-]*)(:|$)/i.exec(strip(wellFormed(text))) ?? [];
    if (!name) return;
    const next = name.toLowerCase() + ':';
    if (isSpecial(url) !== next in ports || (next === 'file:' && (url.username || url.password || url.port)) || (url.scheme === 'file:' && url.host === '')) return;
    url.scheme = next;
    if (url.port === ports[next]) url.port = '';
  }
  get username() { return this.#url.username; }
  set username(text) { if (!cannotHaveUser(this.#url)) this.#url.username = encode(wellFormed(text), sets.userinfo); }
  get password() { return this.#url.password; }
  set password(text) { if (!cannotHaveUser(this.#url)) this.#url.password = encode(wellFormed(text), sets.userinfo); }
  #setHost(text, withPort) {
    const url = this.#url, special = isSpecial(url);
    if (url.opaque) return;
    const authority = strip(wellFormed(text)).split(special ? /[/\\?#]/ : /[/?#]/)[0];
    const [, host, rest = '', port] = url.scheme === 'file:' ? [, authority] : /^(\[[^\]]*\]|[^:]*)(:([0-9]*))?/.exec(authority);
    if (rest && (!withPort || host === '')) return;
    if (host === '' && (special && url.scheme !== 'file:' || url.username || url.password || url.port)) return;
    const parsed = host === '' ? '' : parseHost(host, special);
    if (parsed === null) return;
    url.host = url.scheme === 'file:' && parsed === 'localhost' ? '' : parsed;
    if (withPort && port) setPort(url, port);
  }
  get host() { return hostOf(this.#url); }
  set host(text) { this.#setHost(text, true); }
  get hostname() { return this.#url.host ?? ''; }
  set hostname(text) { this.#setHost(text, false); }
  get port() { return this.#url.port; }
  set port(text) {
    if (cannotHaveUser(this.#url)) return;
    const digits = /^[0-9]*/.exec(strip(wellFormed(text)))[0];
    if (digits || String(text) === '') setPort(this.#url, digits);
  }
  get pathname() { return pathOf(this.#url); }
  set pathname(text) {
    if (this.#url.opaque) return;
    this.#url.path = [];
    const path = strip(wellFormed(text)).replace(/[?#]/g, encodeURIComponent);
    if (path || isSpecial(this.#url) || this.#url.host === null) addPath(this.#url, path.replace(isSpecial(this.#url) ? /^[/\\]/ : /^\//, ''));
  }
  get search() { return this.#url.query ? '?' + this.#url.query : ''; }
  set search(text) {
    text = strip(wellFormed(text));
    this.#url.query = text === '' ? null : encode(text.replace(/^\?/, ''), isSpecial(this.#url) ? sets.specialQuery : sets.query);
    link(this.#params, parseForm(this.#url.query ?? ''));
  }
  get searchParams() { return this.#params; }
  get hash() { return this.#url.fragment ? '#' + this.#url.fragment : ''; }
  set hash(text) {
    text = strip(wellFormed(text));
    this.#url.fragment = text === '' ? null : encode(text.replace(/^#/, ''), sets.fragment);
  }
  toString() { return this.href; }
  toJSON() { return this.href; }
}
for (const name of ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'searchParams', 'hash', 'toString', 'toJSON'])
  Object.defineProperty(URL.prototype, name, { enumerable: true });
Object.defineProperty(URL.prototype, Symbol.toStringTag, { value: 'URL', configurable: true });
return { URL, URLSearchParams };
}
