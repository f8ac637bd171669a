// Types and functions that the files of this example share.

@export()
@description('Size of an environment.')
type sizeOf = 'small' | 'large'

@export()
@sealed()
type tag = {
  Key: string
  Value: string
}

@export()
@description('Tags in the format of AWS.')
func tagsOf(app string, environment string) tag[] => [
  { Key: 'app', Value: app }
  { Key: 'environment', Value: environment }
]
