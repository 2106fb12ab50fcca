module.exports = {
  getMetadata() {
    return { id: 'hash_notes', name: 'hash_notes', description: 'Uses fast-glob.' };
  },
  getDependencies() {
    return {"fast-glob": "^3.3.0"};
  },
  getSchema() {
    return { parameters: { type: 'object', properties: {"folder": {"type": "string"}}, required: ["folder"] } };
  },
  async execute({ folder }) {
    const path = require('node:path');
    const { createHash } = require('crypto');
    const { readFile } = require('fs/promises');
    const glob = require('fast-glob');
    const found = (await glob('**/*.md', { cwd: folder })).sort();
    const hash = async name => [name, createHash('sha256').update(await readFile(path.join(folder, name))).digest('hex').slice(0, 8)];
    return Object.fromEntries(await Promise.all(found.map(hash)));
  },
};
