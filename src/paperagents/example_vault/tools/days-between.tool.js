// A tool in a single JavaScript file, with errors that have names and advice.
module.exports = {
  getMetadata() {
    return {
      id: 'days_between',
      name: 'Days between',
      description: 'Counts the days from one date to another.',
      category: 'text',
      version: '1.0.0'
    };
  },

  getSchema() {
    return {
      parameters: {
        type: 'object',
        properties: {
          from: { type: 'string', format: 'date', description: 'The first day' },
          to: { type: 'string', format: 'date', description: 'The last day' }
        },
        required: ['from', 'to']
      }
    };
  },

  getBusinessErrors() {
    return [{
      code: 'WRONG_ORDER',
      description: 'The last day is before the first.',
      match: /wrong order/,
      solution: 'Exchange the two days.',
      retryable: false
    }];
  },

  getExamples() {
    return [
      { name: 'a leap year', input: { from: '2028-02-28', to: '2028-03-01' }, output: { days: 2, weeks: 0 } },
      { name: 'backwards', input: { from: '2026-02-01', to: '2026-01-01' }, error: 'WRONG_ORDER' }
    ];
  },

  async execute({ from, to }) {
    const days = (Date.parse(to) - Date.parse(from)) / 86_400_000;
    if (days < 0) throw new Error('wrong order');
    return { days, weeks: Math.floor(days / 7) };
  }
};
