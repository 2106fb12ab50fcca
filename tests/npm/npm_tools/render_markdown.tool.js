module.exports = {
  getMetadata() {
    return { id: 'render_markdown', name: 'render_markdown', description: 'Uses marked.' };
  },
  getDependencies() {
    return {"marked": "^15.0.0"};
  },
  getSchema() {
    return { parameters: { type: 'object', properties: {"text": {"type": "string"}}, required: ["text"] } };
  },
  async execute({ text }) {
    const { marked } = await loadModule('marked');
    return marked.parse(text).trim();
  },
};
