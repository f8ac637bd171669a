const { resource } = require('./resource');
exports.DbInstance = resource('aws_db_instance', { port: ['port', 'number'] });
