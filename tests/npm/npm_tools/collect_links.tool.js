module.exports = {
  getMetadata() {
    return { id: 'collect_links', name: 'collect_links', description: 'Uses cheerio.' };
  },
  getDependencies() {
    return {"cheerio": "^1.0.0"};
  },
  getSchema() {
    return { parameters: { type: 'object', properties: {"html": {"type": "string"}}, required: ["html"] } };
  },
  async execute({ html }) {
    const cheerio = await importx('cheerio');
    const $ = cheerio.load(html);
    return $('a[href]').map((_, link) => $(link).attr('href')).get();
  },
};
