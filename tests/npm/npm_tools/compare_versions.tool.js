module.exports = {
  getMetadata() {
    return { id: 'compare_versions', name: 'compare_versions', description: 'Uses semver.' };
  },
  getDependencies() {
    return {"semver": "^7.6.0"};
  },
  getSchema() {
    return { parameters: { type: 'object', properties: {"versions": {"type": "array"}}, required: ["versions"] } };
  },
  async execute({ versions }) {
    const semver = require('semver');
    return semver.rsort([...versions]);
  },
};
