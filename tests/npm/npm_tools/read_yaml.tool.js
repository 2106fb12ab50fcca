module.exports = {
  getMetadata() {
    return { id: 'read_yaml', name: 'read_yaml', description: 'Uses js-yaml.' };
  },
  getDependencies() {
    return {"js-yaml": "^4.1.0"};
  },
  getSchema() {
    return { parameters: { type: 'object', properties: {"text": {"type": "string"}}, required: ["text"] } };
  },
  getBusinessErrors() {
    return [{ code: 'BAD_YAML', description: 'This is not YAML.', match: /YAMLException|bad indentation|unexpected end/, solution: 'Check the indentation.', retryable: false }];
  },
  async execute({ text }) {
    const { load } = await import('js-yaml');
    return load(text);
  },
};
