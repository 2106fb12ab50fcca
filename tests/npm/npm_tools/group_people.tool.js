const _ = require('lodash');

module.exports = {
  getMetadata() {
    return { id: 'group_people', name: 'group_people', description: 'Uses lodash.' };
  },
  getDependencies() {
    return {"lodash": "^4.17.21"};
  },
  getSchema() {
    return { parameters: { type: 'object', properties: {"people": {"type": "array"}}, required: ["people"] } };
  },
  async execute({ people }) {
    return _(people).groupBy('city').mapValues(group => _.sumBy(group, 'age') / group.length).value();
  },
};
