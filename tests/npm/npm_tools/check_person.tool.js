module.exports = {
  getMetadata() {
    return { id: 'check_person', name: 'check_person', description: 'Uses ajv, ajv-formats.' };
  },
  getDependencies() {
    return {"ajv": "^8.12.0", "ajv-formats": "^3.0.1"};
  },
  getSchema() {
    return { parameters: { type: 'object', properties: {"person": {"type": "object"}}, required: ["person"] } };
  },
  async init() {
    const Ajv = require('ajv');
    const addFormats = require('ajv-formats');
    const ajv = addFormats(new Ajv({ allErrors: true }));
    this.check = ajv.compile({
      type: 'object', required: ['name', 'email'],
      properties: { name: { type: 'string' }, email: { type: 'string', format: 'email' } },
    });
  },
  async execute({ person }) {
    return { valid: this.check(person), errors: (this.check.errors ?? []).map(error => error.message) };
  },
};
