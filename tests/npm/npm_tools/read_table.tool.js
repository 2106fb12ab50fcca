module.exports = {
  getMetadata() {
    return { id: 'read_table', name: 'read_table', description: 'Uses papaparse.' };
  },
  getDependencies() {
    return {"papaparse": "^5.4.0"};
  },
  getSchema() {
    return { parameters: { type: 'object', properties: {"text": {"type": "string"}}, required: ["text"] } };
  },
  parse(text) {
    return require('papaparse').parse(text, { header: true, dynamicTyping: true, skipEmptyLines: true }).data;
  },
  async execute({ text }) {
    const rows = this.parse(text);
    this.api.logger.info('rows', rows.length);
    return { rows, total: rows.reduce((sum, row) => sum + row.amount, 0) };
  },
};
