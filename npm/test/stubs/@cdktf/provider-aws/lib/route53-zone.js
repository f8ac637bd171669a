const { resource } = require('./resource');
exports.Route53Zone = resource('aws_route53_zone', { nameServers: ['name_servers', 'list'] });
