module.exports = {
  getMetadata() {
    return { id: 'add_days', name: 'add_days', description: 'Uses dayjs.' };
  },
  getDependencies() {
    return {"dayjs": "^1.11.0"};
  },
  getSchema() {
    return { parameters: { type: 'object', properties: {"date": {"type": "string"}, "days": {"type": "number"}}, required: ["date", "days"] } };
  },
  async execute({ date, days }) {
    const { api } = this;
    const dayjs = await api.importx('dayjs');
    const utc = require('dayjs/plugin/utc');
    dayjs.extend(utc);
    return dayjs.utc(date).add(days, 'day').format('YYYY-MM-DD');
  },
};
