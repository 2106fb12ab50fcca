// What a JSON Schema says about one field: its type, its variants, what an empty field may stand for.

const DEEPEST_REFERENCE = 8;

/** The schema with its references followed and the parts of `allOf` put together. */
export function resolved(schema, root, depth = 0) {
  if (schema === null || typeof schema !== "object") return {};
  if (depth > DEEPEST_REFERENCE) return schema;
  const known = typeof schema.$ref === "string" && schema.$ref.startsWith("#") ? { ...resolved(referred(schema.$ref, root), root, depth + 1), ...schema, $ref: undefined } : schema;
  if (!Array.isArray(known.allOf)) return known;
  return known.allOf.reduce((sum, each) => merged(sum, resolved(each, root, depth + 1)), { ...known, allOf: undefined });
}

function referred(reference, root) {
  let target = root;
  for (const name of reference.split("/").slice(1)) target = target?.[decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~")];
  return target;
}

function merged(base, more) {
  const both = { ...base, ...more };
  if (base.properties && more.properties) both.properties = { ...base.properties, ...more.properties };
  if (Array.isArray(base.required) && Array.isArray(more.required)) both.required = [...new Set([...base.required, ...more.required])];
  return both;
}

/** The ways a value can be, null apart; each has all that the schema says of every way. */
export function variantsOf(schema, root) {
  const { oneOf, anyOf, title, description, default: _, ...base } = schema;
  const listed = [oneOf, anyOf].find(Array.isArray);
  if (listed) return listed.map((each) => merged(base, resolved(each, root))).filter((each) => each.type !== "null");
  const types = Array.isArray(schema.type) ? schema.type : [];
  return types.filter((type) => type !== "null").map((type) => ({ ...base, type }));
}

/** What a variant is called. */
export function nameOf(variant) {
  return variant.title ?? variant.properties?.type?.const ?? variant.properties?.kind?.const ?? variant.const ?? (variant.properties && variant.required?.join(", ")) ?? typeOf(variant);
}

export function typeOf(schema) {
  if (Array.isArray(schema.type)) return schema.type.find((each) => each !== "null");
  if (schema.type) return schema.type;
  if (schema.properties) return "object";
  if (schema.items) return "array";
  return undefined;
}

/** What the members of an object are that has no names of its own. */
export function membersOf(schema) {
  const patterns = Object.values(schema.patternProperties ?? {});
  return patterns.length === 1 && !typeOf(schema.additionalProperties || {}) ? patterns[0] : schema.additionalProperties;
}

/** Whether everything is there that an object must have, at any depth. */
export function isComplete(value, schema, root) {
  const known = resolved(schema, root);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return true;
  return (known.required ?? []).every((name) => Object.hasOwn(value, name)) && Object.entries(known.properties ?? {}).every(([name, each]) => !Object.hasOwn(value, name) || isComplete(value[name], each, root));
}

/** The values that look like nothing in a form: null, an empty text, list or object, where they are allowed. */
export function emptyValues(schema) {
  if ("const" in schema || Array.isArray(schema.enum)) return [];
  const types = [schema.type, ...[schema.oneOf ?? schema.anyOf ?? []].flat().map((each) => each?.type)].flat();
  const only = types.length === 1 || (types.length === 2 && types[1] === "null") ? types[0] : undefined;
  const values = types.includes("null") ? [null] : [];
  if (only === "string" && !schema.minLength && !schema.pattern && !schema.format) values.push("");
  if (only === "array" && !schema.minItems) values.push([]);
  if (only === "object" && !schema.minProperties && !schema.required?.length) values.push({});
  return values;
}

/** Whether a value can be what a variant describes; the server alone knows for certain. */
export function fits(value, schema) {
  if ("const" in schema) return same(schema.const, value);
  if (Array.isArray(schema.enum)) return schema.enum.some((each) => same(each, value));
  const type = value === null ? "null" : Array.isArray(value) ? "array" : JSON.isRawJSON?.(value) ? "number" : typeof value;
  const wanted = typeOf(schema);
  if (wanted !== undefined && wanted !== type && !(wanted === "integer" && type === "number" && !(value % 1))) return false;
  if (type !== "object") return true;
  const has = (name) => Object.hasOwn(value, name);
  return (schema.required ?? []).every(has) && Object.entries(schema.properties ?? {}).every(([name, each]) => !has(name) || !("const" in each) || each.const === value[name]);
}

export function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
