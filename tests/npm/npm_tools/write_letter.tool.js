module.exports = {
  getMetadata() {
    return { id: 'write_letter', name: 'write_letter', description: 'Uses handlebars.' };
  },
  getDependencies() {
    return {"handlebars": "^4.7.8"};
  },
  getSchema() {
    return { parameters: { type: 'object', properties: {"template": {"type": "string"}, "values": {"type": "object"}}, required: ["template", "values"] } };
  },
  async execute({ template, values }) {
    const Handlebars = require('handlebars');
    Handlebars.registerHelper('loud', text => String(text).toUpperCase());
    return Handlebars.compile(template)(values);
  },
};
