// The values of base.bicepparam, with another size.
using 'main.bicep'
extends 'base.bicepparam'

param size = 'large'
