module.exports = {
  getMetadata() {
    return { id: 'fetch_title', name: 'fetch_title', description: 'Uses axios.' };
  },
  getDependencies() {
    return {"axios": "^1.6.0"};
  },
  getSchema() {
    return { parameters: { type: 'object', properties: {"url": {"type": "string"}}, required: ["url"] } };
  },
  getBusinessErrors() {
    return [{ code: 'NOT_FOUND', description: 'There is no such page.', match: error => error.response?.status === 404, retryable: false }];
  },
  async execute({ url }) {
    const axios = require('axios');
    const { data } = await axios.get(url, { timeout: 5000, proxy: false });
    return data.title;
  },
};
