module.exports = {
  getMetadata() {
    return { id: @id@, name: @name@, description: @description@ };
  },

  getSchema() {
    return {
      parameters: {
        type: 'object',
        properties: { text: { type: 'string', description: @parameter@, minLength: 1 } },
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
