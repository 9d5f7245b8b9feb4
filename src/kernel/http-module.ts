// The HTTP server of Node. `import … from 'node:http'` reads every export of the module, and three of them load Node's own fetch
// with its parsers: 16 MiB of resident memory that a gateway does not use. This way to the module reads one export.

export const { createServer } = process.getBuiltinModule('node:http');
