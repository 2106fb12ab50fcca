module.exports = {
  getMetadata() {
    return { id: 'save_xml', name: 'save_xml', description: 'Uses fast-xml-parser.' };
  },
  getDependencies() {
    return {"fast-xml-parser": "^4.5.0"};
  },
  getSchema() {
    return { parameters: { type: 'object', properties: {"value": {"type": "object"}, "file": {"type": "string"}}, required: ["value", "file"] } };
  },
  async execute({ value, file }) {
    const { XMLBuilder } = require('fast-xml-parser');
    const content = new XMLBuilder({ format: true }).build(value);
    return this.api.callTool('write_file', { filePath: file, content });
  },
};
