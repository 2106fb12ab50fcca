// The smallest tool in a single JavaScript file.
module.exports = {
  getMetadata() {
    return {
      id: 'shout',
      name: 'Shout',
      description: 'Turns a text into capital letters.',
      category: 'text',
      version: '1.0.0'
    };
  },

  getSchema() {
    return {
      parameters: {
        type: 'object',
        properties: {
          text: { type: 'string', description: 'What to shout', minLength: 1 }
        },
        required: ['text']
      }
    };
  },

  getExamples() {
    return [{ input: { text: 'abc' }, output: 'ABC' }];
  },

  async execute(params) {
    return params.text.toUpperCase();
  }
};
