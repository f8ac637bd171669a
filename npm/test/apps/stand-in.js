#!/usr/bin/env node
// Stands for the program where only the call of it is looked at: writes down how it was called, and puts `value` everywhere.
const fs = require('fs');
const input = fs.readFileSync(0, 'utf8');
fs.appendFileSync('calls.jsonl', `${JSON.stringify({ args: process.argv.slice(2), input })}\n`);
if (process.env.STAND_IN === 'fail') {
  process.stderr.write('error[REF0004]: stack `Storage` does not exist\n');
  process.exit(1);
}
const { manifests } = JSON.parse(input);
const valued = (text) => text.replace(/(?<!\$)\$\{(?:cfn|tf|expr):[^}]*\}/g, 'value');
process.stdout.write(JSON.stringify({ manifests: manifests.map(({ file, text }) => ({ file, text: valued(text) })) }));
