"""npm packages for ``.tool.js`` files: installed once, agreed on, run under Deno."""
