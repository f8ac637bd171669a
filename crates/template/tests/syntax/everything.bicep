// Every construct of the language once: what the parser must read without a mistake.
targetScope = 'resourceGroup'
metadata author = 'platform'
metadata tags = { team: 'a', stage: 1 }

extension aws
extension aws with { region: 'eu-west-1' } as ireland
extension 'br:registry/extensions/thing:1.0.0' as thing

import { network, sizes as choices, 'odd-name' as odd } from 'shared.bicep'
import * as common from './common.bicep'
import {
  first
  second
} from 'lines.bicep'

#disable-next-line no-unused-params
@description('''
How many.
''')
@minValue(1)
@sys.maxValue(10)
param count int = 3
@secure()
param password string
param optional string?
param choice 'small' | 'large' = 'small'
param anything { name: string, @minLength(1) list: string[], *: int }?
param pair [string, int]
param shape resourceInput<'AWS.S3/Bucket@default'>.properties
param old resource 'AWS.S3/Bucket@default'

@export()
type size = | 'small' | 'large'
type table = {
  @description('the rows')
  rows: (int | null)[]
  key: common.key.name
  item: pair[0]
  every: pair[*]
  other: anything.*
  sure: optional!
  minus: -1 | !true
  *: bool
}
type lines = 'a'
  | 'b'
  | 'c'

func url(https bool, host string) string => '${https ? 'https' : 'http'}://${host}'
func folded(
  a string,
  b int
) string =>
  '${a}${b}'

var typed string = 'x'
var numbers = [1, -2, 3 + 4 * 5 % 2 - 1 / 1]
var lists = [
  1
  ...numbers
  [for n in numbers: n * 2]
  [
    for (n, i) in numbers: if (i > 0) {
      n: n
    }
  ]
]
var object = {
  plain: true
  'quoted': null
  'with ${count} hole': false
  ...anything
  nested: { a: 1, b: { c: 2 } }
}
var logic = !(count > 1 && count <= 5 || count != 3) == (count >= 1) ?? false
var likes = typed =~ 'X' && typed !~ 'Y' && count < 9
var chosen = logic
  ? 'yes'
  : likes ? 'perhaps' : 'no'
var access = object.nested.b.c + object['plain'][?'x'].?y![^1][?^2]
var escapes = 'it\'s \\ \$ \n\r\t \u{1F600} $ {x} é'
var raw = '''no ${hole} here ''''
var many = $'''one ${count} two ${'three ${count}'} $x'''
var dollars = $$'''${not} $${count} $$${count}'''
var mapped = map(numbers, n => n + 1)
var reduced = reduce(numbers, 0, (sum, n) => sum + n)
var later = filter(
  numbers,
  n =>
    n > 1
)
var none = sort([], (a, b) => a < b)
var keywords = { for: 1, if: 2, resource: 3, param: 4 }

resource bucket 'AWS.S3/Bucket@default' = {
  alias: 'logs'
  properties: {
    BucketName: 'logs-${uniqueString(resourceGroup().id)}'
  }

  @description('inside')
  resource child 'child' = if (likes) {
    name: 'child'
  }
}
resource found 'AWS.S3/Bucket@default' existing = {
  alias: 'found'
}
resource some 'ireland:AWS.S3/Bucket@default' = if (logic && (count > 2)) {
  alias: 'some'
}
@batchSize(2)
resource each 'AWS.SQS/Queue@default' = [for (name, index) in ['a', 'b']: if (index > 0) {
  alias: name
  dependsOn: [
    bucket
    some
  ]
}]
resource wide 'AWS.SQS/Queue@default' = [
  for name in ['a', 'b']: {
    alias: name
  }
]

module network './network.bicep' = {
  name: 'network'
  params: { count: count }
}
module networks 'br/public:network:1.0' =
  if (likes) {
    name: 'networks'
  }

assert enough = count > 0
test checked 'test.bicep' = {
  params: {}
}

/* the end */
output id string = bucket::child.id
output names array = [for i in range(0, count): each[i].properties.QueueName]
output secret string = found.getSecret('a', az.resourceGroup().name)
