// A form from a JSON Schema, and the value of a form. What is right is for the server to say.

import { exactNumber, make, readJson, say, together } from "./dom.js";
import { clearProblems, emptyName, showProblems } from "./form_problems.js";
import { emptyValues, fits, isComplete, membersOf, nameOf, resolved, same, typeOf, variantsOf } from "./schema.js";

const LONG_TEXTS = new Set(["content", "text", "body", "prompt", "csv", "markdown", "json", "html", "notes", "code", "template", "message"]);
const LONG_FORMATS = new Set(["textarea", "multiline", "markdown"]);
const INPUTS = { date: "date", password: "password" };
const KEYBOARDS = { email: "email", uri: "url", url: "url" };
const SHAPES = { time: "14:30:00Z", "date-time": "2026-11-16T14:30:00Z", duration: "PT15M" };
const DEEPEST = 12;
const MANY_FIELDS = 8;
const FEW_FIELDS = 2;
let counter = 0;

/** A form for a schema: `node`, `value()`, `fill(value)`, `show(problems)`. */
export function makeForm(schema, value) {
  const context = { root: schema ?? {}, fields: new Map() };
  const top = objectField(context.root, { context, path: [], depth: 0, required: true, isTop: true });
  top.fill(value ?? {});
  return {
    node: top.node,
    value: () => top.value() ?? {},
    fill: (filling) => {
      clearProblems(context.fields);
      top.fill(filling ?? {});
    },
    show: (problems) => showProblems(context.fields, problems),
  };
}

// --- which field

function makeField(schema, place) {
  const known = resolved(schema, place.context.root);
  return orEmpty(fieldOf(known, place), known, place);
}

function fieldOf(known, place) {
  if (place.depth > DEEPEST) return jsonField(known, place);
  // What need not be given is not said without being asked, even where only one thing can be said.
  if ("const" in known) return place.required || place.isVariant ? constantField(known, place) : choiceField({ ...known, enum: [known.const] }, place);
  if (Array.isArray(known.enum)) return choiceField(known, place);
  const variants = variantsOf(known, place.context.root);
  if (variants.length > 1) return variantField(known, variants, place);
  const chosen = { ...known, oneOf: undefined, anyOf: undefined, ...variants[0] };
  switch (typeOf(chosen)) {
    case "string": return textField(chosen, place);
    case "number":
    case "integer": return numberField(chosen, place);
    case "boolean": return booleanField(chosen, place);
    case "array": return arrayOf(chosen, place);
    case "object": return objectOf(chosen, place);
    default: return jsonField(chosen, place);
  }
}

// --- the parts of a field

function frame(schema, place, control, options = {}) {
  const id = `f${++counter}`;
  control.id ||= `${id}-control`;
  const error = make("p", { class: "field-error", id: `${id}-error`, hidden: true });
  const about = schema.description ? make("p", { class: "about", id: `${id}-about`, dir: "auto" }, String(schema.description)) : null;
  control.setAttribute("aria-describedby", `${about ? `${id}-about ` : ""}${id}-error`);
  const needed = place.required && !("default" in schema) && !place.isItem ? make("span", { class: "needed" }, say("required")) : null;
  const name = options.isGroup ? make("span", { class: "label", id: `${id}-name` }, titleOf(schema, place)) : make("label", { for: control.id }, titleOf(schema, place));
  if (place.isItem) name.classList.add("unseen");
  if (options.isGroup) control.setAttribute("aria-labelledby", `${id}-name`);
  const row = options.label ?? make("div", { class: "name-row" }, name, needed);
  const node = make("div", { class: "field" }, row, about, control, error);
  place.context.fields.set(place.path.join("."), { node, control, error });
  return node;
}

function titleOf(schema, place) {
  const last = place.path.at(-1);
  return String(schema.title ?? (typeof last === "number" ? say("item", { number: last + 1 }) : last ?? ""));
}

function inner(place, step, more = {}) {
  return { context: place.context, path: [...place.path, step], depth: place.depth + 1, required: false, ...more };
}

/** Nothing in a field may stand for something: for null, an empty text, an empty list, where that was given or chosen. */
function orEmpty(field, schema, place) {
  const offers = emptyValues(schema);
  if (!offers.length) return field;
  const note = make("p", { class: "about", hidden: true });
  let stands;
  const isMeant = (given) => stands !== undefined && (given === undefined || given === "" || (Array.isArray(given) && !given.length));
  const tell = () => {
    note.hidden = !isMeant(field.value());
    note.textContent = note.hidden ? "" : say("sent-as", { value: emptyName(stands) });
  };
  const choose = (value) => {
    stands = value;
    tell();
  };
  field.node.append(note);
  field.node.addEventListener("input", tell);
  Object.assign(place.context.fields.get(place.path.join(".")), { offers, choose });
  return {
    node: field.node,
    value: () => {
      const given = field.value();
      return isMeant(given) ? stands : given;
    },
    fill: (value) => {
      field.fill(value);
      choose(offers.find((each) => same(each, value)));
    },
  };
}

// --- simple values

function textField(schema, place) {
  const isLong = LONG_TEXTS.has(String(place.path.at(-1))) || /\n/.test(schema.default ?? "") || LONG_FORMATS.has(schema.format) || schema.contentMediaType;
  let control = null;
  let original = null;
  const become = (wantLong, value) => {
    const old = control;
    control = wantLong ? make("textarea", { rows: 5, dir: "auto" }) : make("input", { dir: "auto", type: INPUTS[schema.format] ?? (schema.writeOnly ? "password" : "text"), inputmode: KEYBOARDS[schema.format], autocomplete: "off" });
    const shape = schema.examples?.[0] ?? SHAPES[schema.format];
    if (shape !== undefined) control.placeholder = String(shape);
    control.value = value;
    control.addEventListener("paste", paste);
    if (old) {
      for (const name of ["id", "aria-describedby"]) control.setAttribute(name, old.getAttribute(name));
      old.replaceWith(control);
      place.context.fields.get(place.path.join(".")).control = control;
    }
  };
  /** A field of one line would join the lines that are pasted: it becomes one for many. */
  const paste = (event) => {
    const pasted = event.clipboardData?.getData("text/plain").trimEnd() ?? "";
    if (control.type !== "text" || !/[\r\n]/.test(pasted)) return;
    event.preventDefault();
    const [start, end] = [control.selectionStart, control.selectionEnd];
    become(true, control.value.slice(0, start) + pasted + control.value.slice(end));
    control.focus();
    control.dispatchEvent(new Event("input", { bubbles: true }));
  };
  become(isLong && !INPUTS[schema.format], "");
  const node = frame(schema, place, control);
  return {
    node,
    value: () => {
      const text = keepingLineEnds(control.value, original);
      return text === "" && !("default" in schema) ? undefined : text;
    },
    fill: (value) => {
      original = value === undefined ? (schema.default ?? null) : value;
      const text = original === null ? "" : typeof original === "string" ? original : JSON.stringify(original);
      if (/\n/.test(text) && control.tagName === "INPUT") become(true, text);
      // What the field of a day cannot show is shown as text, not dropped.
      if (control.type === "date" && !/^(\d{4}-\d\d-\d\d)?$/.test(text)) control.type = "text";
      control.value = text;
      if (typeof original !== "string") original = original === null ? null : text;
    },
  };
}

/** Controls know only one line end; a text that came with the other one keeps it. */
export function keepingLineEnds(text, original) {
  if (typeof original !== "string" || !original.includes("\r")) return text;
  if (text === original.replace(/\r\n?/g, "\n")) return original;
  return text.replace(/\n/g, "\r\n");
}

function numberField(schema, place) {
  const control = make("input", { type: "text", inputmode: schema.type === "integer" ? "numeric" : "decimal", autocomplete: "off", placeholder: schema.examples?.[0] });
  return {
    node: frame(schema, place, control),
    value: () => {
      const text = control.value.trim();
      if (text === "") return undefined;
      // What is no number is sent as it is: the server says what is wrong with it.
      return /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? exactNumber(text) : control.value;
    },
    fill: (value) => {
      const shown = value === undefined ? schema.default : value;
      control.value = shown === undefined || shown === null ? "" : typeof shown === "string" ? shown : JSON.stringify(shown);
    },
  };
}

function booleanField(schema, place) {
  const control = make("input", { type: "checkbox" });
  let touched = false;
  control.addEventListener("change", () => (touched = true));
  const id = (control.id = `f${++counter}-control`);
  const label = make("label", { class: "check", for: id }, control, titleOf(schema, place));
  const node = make("div", { class: "field" }, label);
  const error = make("p", { class: "field-error", id: `${id}-error`, hidden: true });
  if (schema.description) node.append(make("p", { class: "about", id: `${id}-about`, dir: "auto" }, String(schema.description)));
  control.setAttribute("aria-describedby", `${schema.description ? `${id}-about ` : ""}${id}-error`);
  node.append(error);
  place.context.fields.set(place.path.join("."), { node, control, error });
  return {
    node,
    value: () => (touched || control.checked || place.required || "default" in schema ? control.checked : undefined),
    fill: (value) => {
      touched = typeof value === "boolean";
      control.checked = (value ?? schema.default) === true;
    },
  };
}

function choiceField(schema, place) {
  const options = schema.enum.map((each, number) => make("option", { value: String(number) }, typeof each === "string" ? each : JSON.stringify(each)));
  const control = make("select", {}, make("option", { value: "" }, place.required ? say("choose") : "–"), ...options);
  return {
    node: frame(schema, place, control),
    value: () => (control.value === "" ? undefined : schema.enum[Number(control.value)]),
    fill: (value) => {
      const wanted = value === undefined ? schema.default : value;
      const found = schema.enum.findIndex((each) => same(each, wanted));
      control.value = found < 0 ? "" : String(found);
    },
  };
}

function constantField(schema, place) {
  const control = make("input", { type: "text", readonly: true });
  control.value = typeof schema.const === "string" ? schema.const : JSON.stringify(schema.const);
  return { node: frame(schema, place, control), value: () => schema.const, fill: () => {} };
}

function jsonField(schema, place) {
  const isAny = typeOf(schema) === undefined;
  const control = make("textarea", { rows: 4, spellcheck: "false", class: "mono", placeholder: typeOf(schema) === "object" ? "{ }" : "" });
  return {
    node: frame(schema, place, control),
    value: () => {
      if (control.value.trim() === "") return undefined;
      const read = jsonIn(control.value);
      return read === undefined ? control.value : read;
    },
    fill: (value) => {
      const shown = value === undefined ? schema.default : value;
      const isPlain = typeof shown === "string" && shown.trim() !== "" && jsonIn(shown) === undefined;
      if (shown === undefined || (shown === null && !isAny)) control.value = "";
      else control.value = isPlain ? shown : JSON.stringify(shown, null, 2);
    },
  };
}

/** A list of anything: an entry on each line, or JSON. */
function linesField(schema, place) {
  const control = make("textarea", { rows: 4, spellcheck: "false" });
  const isPlain = (each) => typeof each === "string" && each !== "" && each === each.trim() && !/[\r\n]/.test(each);
  return {
    node: frame({ ...schema, description: together(schema.description, say("one-per-line")) }, place, control),
    value: () => {
      const text = control.value.trim();
      if (text === "") return undefined;
      // What begins as JSON and is none is sent as it is: the server says what is wrong with it.
      if (text.startsWith("[")) return jsonIn(text) ?? control.value;
      return text.split("\n").map((each) => each.trim()).filter(Boolean);
    },
    fill: (value) => {
      const shown = value === undefined ? schema.default : value;
      const areLines = Array.isArray(shown) && shown.every(isPlain) && !shown[0]?.startsWith("[");
      control.value = shown === undefined || shown === null ? "" : typeof shown === "string" ? shown : areLines ? shown.join("\n") : JSON.stringify(shown, null, 2);
    },
  };
}

/** The value that a text writes; undefined where it is not JSON. */
function jsonIn(text) {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

// --- values with members

function objectOf(schema, place) {
  if (schema.properties && Object.keys(schema.properties).length) return objectField(schema, place);
  const each = resolved(membersOf(schema), place.context.root);
  return typeOf(each) ? mapField(schema, each, place) : jsonField(schema, place);
}

function objectField(schema, place) {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const names = Object.keys(schema.properties ?? {});
  const members = names.map((name) => [name, makeField(schema.properties[name], inner(place, name, { required: required.has(name), isVariant: place.isVariant }))]);
  const box = make("div", { class: place.isTop ? "fields" : "fields nested", role: place.isTop ? null : "group" }, ...members.map(([, field]) => field.node));
  const folded = place.isTop ? names.filter((name) => !required.has(name)).slice(Math.max(MANY_FIELDS - required.size, 0)) : [];
  const fold = folded.length > FEW_FIELDS ? foldFields(members.filter(([name]) => folded.includes(name))) : null;
  if (fold) box.append(fold);
  const told = make("p", { class: "about", hidden: true });
  box.append(told);
  if (place.isTop && !names.length) box.append(make("p", { class: "quiet" }, say("no-input")));
  let others = {};
  let untouched;
  const held = () => {
    const value = { ...others };
    for (const [name, field] of members) {
      const member = field.value();
      if (member !== undefined) Object.defineProperty(value, name, { value: member, enumerable: true, configurable: true, writable: true });
    }
    return value;
  };
  return {
    node: place.isTop ? box : frame(schema, place, box, { isGroup: true }),
    value: () => {
      const value = held();
      if (place.required) return value;
      // Constants and defaults alone do not make somebody mean an object that wants more than these.
      const isLeft = same(value, untouched) && !isComplete(value, schema, place.context.root);
      return Object.keys(value).length && !isLeft ? value : undefined;
    },
    fill: (value) => {
      untouched = undefined;
      const isGiven = value && typeof value === "object" && !Array.isArray(value);
      const given = isGiven ? value : schema.default ?? {};
      // What the schema does not name is kept: it may mean something to the tool.
      others = schema.additionalProperties === false ? {} : Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
      told.hidden = !Object.keys(others).length;
      told.textContent = told.hidden ? "" : say("also-sent", { names: Object.keys(others).join(", ") });
      if (fold && folded.some((name) => Object.hasOwn(given, name))) fold.open = true;
      for (const [name, field] of members) field.fill(Object.hasOwn(given, name) ? given[name] : undefined);
      if (!isGiven) untouched = held();
    },
  };
}

/** Of many fields those that need not be given, out of the way until somebody wants them. */
function foldFields(members) {
  const summary = make("summary", {}, say("more-fields", { count: members.length }));
  return make("details", { class: "more-fields" }, summary, make("div", { class: "fields" }, ...members.map(([, field]) => field.node)));
}

/** Names and values, for objects whose members are not known beforehand. */
function mapField(schema, each, place) {
  let rows = [];
  const list = make("ol", { class: "items" });
  const add = make("button", { type: "button", class: "button quiet-button add", onclick: () => append("", undefined).focus() }, say("add"));
  const node = frame(schema, place, make("div", { role: "group" }, list, add), { isGroup: true });
  const append = (name, value) => {
    const key = make("input", { type: "text", dir: "auto", autocomplete: "off", placeholder: say("name"), "aria-label": say("name") });
    const field = makeField(each, inner(place, rows.length, { required: true, isItem: true }));
    const remove = make("button", { type: "button", class: "remove", "aria-label": say("remove", { number: rows.length + 1 }) }, "✕");
    const row = { key, field, item: make("li", {}, make("div", { class: "map-row" }, key, field.node), remove) };
    remove.addEventListener("click", () => {
      refill(members(rows.filter((other) => other !== row)));
      add.focus();
    });
    rows.push(row);
    list.append(row.item);
    key.value = name;
    field.fill(value);
    return key;
  };
  const members = (some) => some.map(({ key, field }) => [key.value, field.value() ?? emptyOf(each)]);
  const refill = (entries) => {
    rows = [];
    list.replaceChildren();
    for (const [name, value] of entries) append(name, value);
  };
  return {
    node,
    value: () => (rows.length || "default" in schema ? Object.fromEntries(members(rows).filter(([name]) => name !== "")) : undefined),
    fill: (value) => {
      const given = value === undefined ? schema.default : value;
      refill(given && typeof given === "object" ? Object.entries(given) : []);
    },
  };
}

function arrayOf(schema, place) {
  if (!schema.items || schema.items === true) return linesField(schema, place);
  const items = resolved(schema.items, place.context.root);
  return Array.isArray(items.enum) && schema.uniqueItems ? tickField(schema, items, place) : listField(schema, items, place);
}

function tickField(schema, items, place) {
  const ticks = items.enum.map((each) => [each, make("input", { type: "checkbox" })]);
  const box = make("div", { class: "tick-list", role: "group" }, ...ticks.map(([each, tick]) => make("label", { class: "check" }, tick, typeof each === "string" ? each : JSON.stringify(each))));
  return {
    node: frame(schema, place, box, { isGroup: true }),
    value: () => {
      const chosen = ticks.filter(([, tick]) => tick.checked).map(([each]) => each);
      return chosen.length || place.required || "default" in schema ? chosen : undefined;
    },
    fill: (value) => {
      const chosen = new Set([value ?? schema.default ?? []].flat().map((each) => JSON.stringify(each)));
      for (const [each, tick] of ticks) tick.checked = chosen.has(JSON.stringify(each));
    },
  };
}

function listField(schema, items, place) {
  let rows = [];
  const list = make("ol", { class: "items" });
  const add = make("button", { type: "button", class: "button quiet-button add", onclick: () => append(undefined, true) }, say("add"));
  const box = make("div", { role: "group" }, list, add);
  const node = frame(schema, place, box, { isGroup: true });
  const append = (value, focus) => {
    const field = makeField(items, inner(place, rows.length, { required: true, isItem: true }));
    const remove = make("button", { type: "button", class: "remove", "aria-label": say("remove", { number: rows.length + 1 }) }, "✕");
    const row = { field, item: make("li", {}, field.node, remove) };
    remove.addEventListener("click", () => take(row));
    rows.push(row);
    list.append(row.item);
    field.fill(value);
    if (focus) field.node.querySelector("input, textarea, select")?.focus();
  };
  const take = (row) => {
    const values = rows.filter((each) => each !== row).map((each) => each.field.value());
    refill(values);
    add.focus();
  };
  const refill = (values) => {
    rows = [];
    list.replaceChildren();
    for (const each of values) append(each, false);
  };
  return {
    node,
    value: () => {
      const values = rows.map((row) => row.field.value() ?? emptyOf(items));
      return values.length || "default" in schema ? values : undefined;
    },
    fill: (value) => {
      const given = value === undefined ? schema.default : value;
      refill(Array.isArray(given) ? given : given === undefined || given === null ? [] : [given]);
    },
  };
}

function emptyOf(items) {
  return { string: "", object: {}, array: [], boolean: false }[typeOf(items)] ?? null;
}

function variantField(schema, known, place) {
  const names = known.map((each, number) => String(nameOf(each) ?? say("variant", { number: number + 1 })));
  // An object that need not be given is none of its kinds until somebody chooses one.
  const mayBeLeft = !place.required && !("default" in schema) && known.every((each) => typeOf(each) === "object");
  const none = mayBeLeft ? [make("option", { value: "" }, "–")] : [];
  const choice = make("select", { "aria-label": say("kind") }, ...none, ...names.map((name, number) => make("option", { value: String(number) }, name)));
  const slot = make("div");
  const box = make("div", { role: "group" }, choice, slot);
  let field = null;
  const become = (number, value) => {
    choice.value = String(number);
    field = null;
    slot.replaceChildren();
    if (number === "") return;
    const chosen = known[number];
    field = makeField({ ...chosen, title: names[number] }, { ...place, required: place.required || mayBeLeft, depth: place.depth + 1, isItem: true, isVariant: true });
    slot.replaceChildren(field.node);
    field.fill(value);
  };
  const node = make("div");
  choice.addEventListener("change", () => become(choice.value && Number(choice.value), undefined));
  const framed = frame(schema, { ...place }, box, { isGroup: true });
  const own = place.context.fields.get(place.path.join("."));
  node.append(framed);
  return {
    node,
    value: () => field?.value(),
    fill: (value) => {
      const given = value === undefined ? schema.default : value;
      const isNothing = given === undefined || given === null;
      const fitting = isNothing ? 0 : known.findIndex((each) => fits(given, each));
      become(isNothing && mayBeLeft ? "" : Math.max(fitting, 0), given);
      place.context.fields.set(place.path.join("."), own);
    },
  };
}
