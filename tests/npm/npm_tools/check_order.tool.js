import { z } from 'zod';

const Order = z.object({ item: z.string().min(1), count: z.number().int().positive().default(1) });

export default {
  getMetadata() {
    return { id: 'check_order', name: 'check_order', description: 'Uses zod.' };
  },
  getDependencies() {
    return {"zod": "^3.23.0"};
  },
  getSchema() {
    return { parameters: { type: 'object', properties: {"order": {"type": "object"}}, required: ["order"] } };
  },
  async execute({ order }) {
    const result = Order.safeParse(order);
    return result.success ? result.data : result.error.issues.map(issue => issue.path.join('.'));
  },
};
