@export()
@description('Tags of all resources.')
type Tags = {
  *: string
}

type Pair = { Key: string, Value: string }

var separator = '-'

@export()
var name = 'app${separator}x'

@export()
var defaults = { size: 'none', kept: true }

@export()
var pairs Pair[] = [
  { Key: 'team', Value: 'a' }
]

func pairOf(key string, value string) Pair => { Key: key, Value: value }

@export()
func tagged(app string, tags Tags) Pair[] => [
  pairOf('app', app)
  ...map(items(tags), tag => pairOf(tag.key, tag.value))
]
