// A tool that asks the outside world through a bridge: in a dry run its mock answers, and nobody is asked.
module.exports = {
  getMetadata() {
    return {
      id: 'exchange',
      name: 'Exchange',
      description: 'Converts an amount of money into another currency, at the rate of the day.',
      category: 'web',
      version: '1.0.0'
    };
  },

  getSchema() {
    const currency = { type: 'string', pattern: '^[A-Z]{3}$' };
    return {
      parameters: {
        type: 'object',
        properties: {
          amount: { type: 'number', description: 'How much', default: 1 },
          from: { ...currency, description: 'Of which currency', default: 'EUR' },
          to: { ...currency, description: 'Into which currency', default: 'USD' }
        }
      }
    };
  },

  getBridges() {
    const url = 'https://api.frankfurter.dev/v1/latest';
    return {
      rate: {
        real: async (from, to) => {
          const answer = await this.api.callTool('web_search', { url: `${url}?base=${from}&symbols=${to}` });
          return answer.rates[to];
        },
        mock: () => 1.25
      }
    };
  },

  getExamples() {
    return [{
      input: { amount: 8 },
      responses: { web_search: { rates: { USD: 1.25 } } },
      output: { amount: 10, currency: 'USD' }
    }];
  },

  async execute({ amount, from, to }) {
    const rate = await this.api.bridge('rate', from, to);
    return { amount: amount * rate, currency: to };
  }
};
