import { nanoid } from 'nanoid';

export default {
  getMetadata() {
    return { id: 'make_ids', name: 'make_ids', description: 'Uses nanoid.' };
  },
  getDependencies() {
    return {"nanoid": "^5.0.0"};
  },
  getSchema() {
    return { parameters: { type: 'object', properties: {"count": {"type": "number"}}, required: ["count"] } };
  },
  async execute({ count }) {
    return Array.from({ length: count }, () => nanoid(10));
  },
};
