// What the files of this example have in common.

@export()
@description('How large an environment is.')
type sizeOf = 'small' | 'large'

@export()
@sealed()
type tag = {
  Key: string
  Value: string
}

@export()
@description('Tags as AWS wants them.')
func tagsOf(app string, environment string) tag[] => [
  { Key: 'app', Value: app }
  { Key: 'environment', Value: environment }
]
